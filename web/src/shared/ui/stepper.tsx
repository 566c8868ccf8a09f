import type { KeyboardEvent } from 'react';

interface StepperProps {
  id?: string;
  label: string;
  value: number;
  max: number;
  onValue: (value: number) => void;
  disabled?: boolean;
}

/** A count with a button on each side. The arrow keys change the focused number. */
export function Stepper({ id, label, value, max, onValue, disabled = false }: StepperProps) {
  const to = (wanted: number) => {
    // The count may exceed the tickets that are left. A step down then goes to the maximum.
    const next = wanted < value ? Math.min(wanted, max) : wanted;
    if (!disabled && next >= 1 && next <= max && next !== value) onValue(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = {
      ArrowUp: value + 1,
      ArrowRight: value + 1,
      ArrowDown: value - 1,
      ArrowLeft: value - 1,
      Home: 1,
      End: max,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    to(next);
  };
  return (
    <div className="stepper" role="group" aria-label={label}>
      <button
        type="button"
        aria-label="One less"
        aria-disabled={disabled || value <= 1}
        onClick={() => to(value - 1)}
      >
        −
      </button>
      <span
        id={id}
        className="num"
        role="spinbutton"
        tabIndex={0}
        aria-label={label}
        aria-valuenow={value}
        aria-valuemin={1}
        aria-valuemax={max}
        onKeyDown={onKeyDown}
      >
        {value}
      </span>
      <button
        type="button"
        aria-label="One more"
        aria-disabled={disabled || value >= max}
        onClick={() => to(value + 1)}
      >
        +
      </button>
    </div>
  );
}
