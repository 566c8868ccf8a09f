import type { ClubUser } from '@/api/wire-club';
import { ActionsMenu, type ActionsMenuItem } from '../frame/actions-menu';
import { roleName, memberActivityText, memberStateLabel } from './people-rules';

interface PersonItemProps {
  person: ClubUser;
  /** Whether this is the signed-in user. */
  self: boolean;
  /** Whether this person cannot be changed or removed here. */
  fixed: boolean;
  onRole: () => void;
  onSendNewInvitation: () => void;
  onRemove: () => void;
}

/**
 * One member with state and actions. A `fixed` person has no menu: the signed-in user, the club's
 * own login, and everyone in an archived club.
 */
export function PersonItem({
  person,
  self,
  fixed,
  onRole,
  onSendNewInvitation,
  onRemove,
}: PersonItemProps) {
  const state = memberStateLabel(person);
  const items: ActionsMenuItem[] = [
    ...(state ? [{ label: 'Send the invitation again', onChoose: onSendNewInvitation }] : []),
    { label: 'Change role', onChoose: onRole },
    { label: 'Remove', onChoose: onRemove },
  ];
  return (
    <li className="card person">
      <div className="person-who">
        <h2>
          {person.isClubLogin ? 'The club’s own login' : person.name}
          {self ? <span className="meta"> (you)</span> : null}
        </h2>
        <p className="meta">{person.email}</p>
      </div>
      <div className="badges">
        <span className={`badge ${person.role === 'owner' ? 'is-active' : ''}`}>
          {roleName(person.role)}
        </span>
        {state ? <span className={`badge ${state.tone}`}>{state.text}</span> : null}
      </div>
      <p className="meta person-since">{memberActivityText(person)}</p>
      {fixed ? null : <ActionsMenu of={person.name} items={items} />}
    </li>
  );
}
