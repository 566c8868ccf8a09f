import './people.css';
import { useSetAtom } from 'jotai';
import { useState } from 'react';
import { CLUB_API_PATHS, changeMember, inviteMember, removeMember } from '@/api/endpoints/club';
import type { ClubUser } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { ConfirmDialog } from '@/shared/ui/confirm-dialog';
import { usePageTitle } from '@/shared/ui/page-title';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { markPathsChangedAtom } from '../data/query-atoms';
import { errorText } from '../data/error-text';
import { useQuery } from '../data/use-query';
import { BackLink, archivedText } from '../frame/club-frame';
import { AccessDenied, type ClubPageContext } from '../frame/club-page';
import { OWNERS_ONLY_TEXT, isOwner } from '../session/roles';
import { useMutation } from '../session/use-session';
import { InviteDialog } from './invite-dialog';
import { roleWithArticle } from './people-rules';
import { PersonItem } from './person-item';
import { RoleChoice } from './role-choice';

/**
 * Lists the people who may sign in for the club and their roles. Only owners see this page
 * (decision G-17).
 */
export function PeoplePage({ here }: { here: ClubPageContext }) {
  usePageTitle('People');
  return isOwner(here.club) ? (
    <PeopleForOwner here={here} />
  ) : (
    <AccessDenied title="People" text={OWNERS_ONLY_TEXT} club={here.club} />
  );
}

type PendingMemberChange = { about: ClubUser; what: 'role' | 'remove' };

function PeopleForOwner({ here: { club, user } }: { here: ClubPageContext }) {
  const { data, problem, retry } = useQuery<ClubUser[]>(CLUB_API_PATHS.people(club.id));
  const [inviting, setInviting] = useState(false);
  const [asking, setAsking] = useState<PendingMemberChange | null>(null);
  const showToast = useSetAtom(showToastAtom);
  const changed = useSetAtom(markPathsChangedAtom);
  const { run } = useMutation();
  const sendNewInvitation = (person: ClubUser) =>
    void run(
      async () => {
        await inviteMember(club.id, person);
        changed(CLUB_API_PATHS.people(club.id));
        showToast({
          title: 'Invitation sent',
          text: `${person.email} has a new link; the one before opens nothing more.`,
        });
      },
      (error) => showToast({ title: C.error, text: errorText(error, C.pleaseTryAgain), bad: true }),
    );
  const isSelf = ({ isClubLogin, email }: ClubUser) =>
    !user.isAdmin &&
    (user.memberEmail ? email.toLowerCase() === user.memberEmail.toLowerCase() : isClubLogin);
  return (
    <main className="admin" id="main" aria-busy={!data && !problem}>
      <BackLink club={club} />
      <div className="admin-head">
        <h1>People</h1>
        {club.archived ? null : (
          <button type="button" className="btn people-invite" onClick={() => setInviting(true)}>
            Invite somebody
          </button>
        )}
      </div>
      {club.archived ? <p className="callout is-warn">{archivedText(club)}</p> : null}
      <p className="lead">Everybody signs in with an e-mail address and a password of their own.</p>
      {!data && problem ? (
        <div className="callout is-bad" role="alert">
          <strong>Failed to load people</strong>
          <p>{errorText(problem, C.pleaseTryAgain)}</p>
          <div className="actions">
            <button type="button" className="btn small sec" onClick={() => void retry()}>
              Retry
            </button>
          </div>
        </div>
      ) : null}
      {data ? (
        <ul className="people">
          {data.map((person) => (
            <PersonItem
              key={person.id}
              person={person}
              self={isSelf(person)}
              fixed={club.archived || person.isClubLogin || isSelf(person)}
              onRole={() => setAsking({ about: person, what: 'role' })}
              onSendNewInvitation={() => sendNewInvitation(person)}
              onRemove={() => setAsking({ about: person, what: 'remove' })}
            />
          ))}
        </ul>
      ) : problem ? null : (
        <span className="skeleton" style={{ height: 130 }} />
      )}
      {data && !club.archived && data.every(({ isClubLogin }) => isClubLogin) ? (
        <p className="card empty">
          Nobody else yet. Invite whoever helps at the ground, so that the club’s own password stays
          with the club.
        </p>
      ) : null}
      <InviteDialog club={club.id} open={inviting} onClose={() => setInviting(false)} />
      <ChangeRoleDialog
        club={club.id}
        person={asking?.what === 'role' ? asking.about : null}
        onClose={() => setAsking(null)}
      />
      <RemoveMemberDialog
        club={club.id}
        person={asking?.what === 'remove' ? asking.about : null}
        onClose={() => setAsking(null)}
      />
    </main>
  );
}

interface MemberDialogProps {
  club: number;
  person: ClubUser | null;
  onClose: () => void;
}

/**
 * Runs an owner's change to a member. Closes the dialog and reloads the list after a success and
 * after a refusal, which a toast shows.
 */
function useMemberChange({ club, onClose }: Pick<MemberDialogProps, 'club' | 'onClose'>) {
  const { pending, run } = useMutation();
  const showToast = useSetAtom(showToastAtom);
  const changed = useSetAtom(markPathsChangedAtom);
  const decide = (act: () => Promise<unknown>, done: string) =>
    void run(
      async () => {
        await act();
        showToast({ title: done });
        changed(CLUB_API_PATHS.people(club));
        onClose();
      },
      (error) => {
        showToast({ title: C.error, text: errorText(error, C.pleaseTryAgain), bad: true });
        changed(CLUB_API_PATHS.people(club));
        onClose();
      },
    );
  return { pending, decide };
}

function ChangeRoleDialog({ club, person, onClose }: MemberDialogProps) {
  const [role, setRole] = useState<string | null>(null);
  const close = () => {
    setRole(null);
    onClose();
  };
  const { pending, decide } = useMemberChange({ club, onClose: close });
  const chosen = role ?? person?.role ?? '';
  const confirm = () => {
    if (!person) return;
    if (chosen === person.role) return close();
    decide(
      () => changeMember(club, person.id, { role: chosen }),
      `${person.name} is ${roleWithArticle(chosen)} now`,
    );
  };
  return (
    <ConfirmDialog
      title={`Role of ${person?.name ?? ''}`}
      open={person !== null}
      confirm="Save role"
      pending={pending}
      onCancel={close}
      onConfirm={confirm}
    >
      <RoleChoice id="new-role" role={chosen} onRole={setRole} titled={false} />
      {person?.state === 'active' ? (
        <p className="meta">They are logged out and log in again with the new role.</p>
      ) : null}
    </ConfirmDialog>
  );
}

function RemoveMemberDialog({ club, person, onClose }: MemberDialogProps) {
  const { pending, decide } = useMemberChange({ club, onClose });
  return (
    <ConfirmDialog
      title={`Remove ${person?.name ?? ''}?`}
      open={person !== null}
      confirm="Remove"
      danger
      pending={pending}
      onCancel={onClose}
      onConfirm={() =>
        person && decide(() => removeMember(club, person.id), `${person.name} is removed`)
      }
    >
      <p>
        {person?.state === 'active'
          ? `${person.email} is logged out at once and cannot log in again.`
          : `The invitation to ${person?.email ?? ''} opens nothing more.`}{' '}
        Everything they did stays as it is.
      </p>
    </ConfirmDialog>
  );
}
