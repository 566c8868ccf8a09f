import { useId, type ReactNode } from 'react';

interface SwitchRowProps {
  label: string;
  on: boolean;
  /** Not yet known, or on its way: the server decides, so nothing is shown as done before it says so. */
  busy: boolean;
  onSwitch: (on: boolean) => void;
  hint: ReactNode;
  words?: readonly [string, string];
}

/** A switch that waits for the server: it moves when the setting has moved. */
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
