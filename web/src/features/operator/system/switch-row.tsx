import { useId, type ReactNode } from 'react';

interface SwitchRowProps {
  label: string;
  on: boolean;
  /**
   * Whether the value is unknown or being saved. The switch shows a change only after the server
   * confirms it.
   */
  busy: boolean;
  onSwitch: (on: boolean) => void;
  hint: ReactNode;
  words?: readonly [string, string];
}

/** A switch that changes only after the server has saved the setting. */
export function SwitchRow({
  label,
  on,
  busy,
  onSwitch,
  hint,
  words = ['On', 'Off'],
}: SwitchRowProps) {
  const id = useId();
  return (
    <div className="ops-switch-row">
      <div>
        <span className="ops-switch-label" id={`${id}-label`}>
          {label}
        </span>
        <span className="field-hint" id={`${id}-hint`}>
          {hint}
        </span>
      </div>
      <button
        type="button"
        role="switch"
        className="ops-switch"
        aria-checked={on}
        aria-labelledby={`${id}-label`}
        aria-describedby={`${id}-hint`}
        aria-busy={busy || undefined}
        aria-disabled={busy || undefined}
        onClick={() => !busy && onSwitch(!on)}
      >
        <span aria-hidden="true" />
        <em aria-hidden="true">{on ? words[0] : words[1]}</em>
      </button>
    </div>
  );
}
