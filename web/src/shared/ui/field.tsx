import { useEffect, useRef, type InputHTMLAttributes } from 'react';

interface FieldProps extends Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange'> {
  id: string;
  label: string;
  error?: string | null;
  hint?: string | null;
  onValue: (value: string) => void;
}

/** A labelled input. Its error has the same text as in the list above the form. */
export function Field({ id, label, error, hint, onValue, ...input }: FieldProps) {
  const described = [error ? `${id}-error` : '', hint ? `${id}-hint` : '']
    .filter(Boolean)
    .join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={described || undefined}
        onChange={(event) => onValue(event.currentTarget.value)}
        {...input}
      />
      {error ? (
        <span className="field-error" id={`${id}-error`}>
          {error}
        </span>
      ) : null}
      {hint ? (
        <span className="field-hint" id={`${id}-hint`}>
          {hint}
        </span>
      ) : null}
    </div>
  );
}

interface CheckboxFieldProps {
  id: string;
  checked: boolean;
  /** Whether the box stands for several boxes of which only some are ticked. */
  mixed?: boolean;
  onChecked: (checked: boolean) => void;
  error?: string | null;
  children: React.ReactNode;
}

/** A checkbox, 44 px high. Links inside the label remain links. */
export function CheckboxField({
  id,
  checked,
  mixed = false,
  onChecked,
  error,
  children,
}: CheckboxFieldProps) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current) box.current.indeterminate = mixed;
  }, [mixed]);
  return (
    <div className="check-row">
      <label className="check" htmlFor={id}>
        <input
          ref={box}
          id={id}
          type="checkbox"
          checked={checked}
          aria-invalid={error ? true : undefined}
          aria-describedby={error ? `${id}-error` : undefined}
          onChange={(event) => onChecked(event.currentTarget.checked)}
        />
        <span>{children}</span>
      </label>
      {error ? (
        <span className="field-error" id={`${id}-error`}>
          {error}
        </span>
      ) : null}
    </div>
  );
}
