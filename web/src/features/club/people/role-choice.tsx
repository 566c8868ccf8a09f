import { ROLES, ROLE_TEXTS } from '../session/roles';

interface RoleChoiceProps {
  /** Name of the group of radio buttons, and prefix of their ids. */
  id: string;
  role: string;
  onRole: (role: string) => void;
  /** Whether the title is visible; a dialog with only this choice has its own title. */
  titled?: boolean;
}

/** Radio buttons for the three roles, each with its description. */
export function RoleChoice({ id, role, onRole, titled = true }: RoleChoiceProps) {
  return (
    <fieldset className="role-choice">
      <legend className={titled ? undefined : 'sr'}>Role</legend>
      {ROLES.map((one) => (
        <label className="role-option" htmlFor={`${id}-${one}`} key={one}>
          <input
            type="radio"
            id={`${id}-${one}`}
            name={id}
            value={one}
            checked={role === one}
            aria-labelledby={`${id}-${one}-name`}
            aria-describedby={`${id}-${one}-does`}
            onChange={() => onRole(one)}
          />
          <span>
            <strong id={`${id}-${one}-name`}>{ROLE_TEXTS[one].name}</strong>
            <span className="meta" id={`${id}-${one}-does`}>
              {ROLE_TEXTS[one].does}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
