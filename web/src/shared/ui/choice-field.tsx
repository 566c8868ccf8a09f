import type { ReactNode, SelectHTMLAttributes, TextareaHTMLAttributes } from 'react';

interface LabelledFieldProps {
  id: string;
  label: string;
  error?: string | null;
  hint?: ReactNode;
  onValue: (value: string) => void;
}

const describedByIds = (id: string, error?: string | null, hint?: ReactNode) =>
  [error ? `${id}-error` : '', hint ? `${id}-hint` : ''].filter(Boolean).join(' ') || undefined;

function FieldMessage({
  id,
  error,
  hint,
}: {
  id: string;
  error?: string | null;
  hint?: ReactNode;
}) {
  return (
    <>
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
    </>
  );
}

/** A labelled native select, for which every phone has its own picker. */
export function SelectField({
  id,
  label,
  error,
  hint,
  onValue,
  children,
  ...select
}: LabelledFieldProps & Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange' | 'id'>) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedByIds(id, error, hint)}
        onChange={(event) => onValue(event.currentTarget.value)}
        {...select}
      >
        {children}
      </select>
      <FieldMessage id={id} error={error} hint={hint} />
    </div>
  );
}

/** A labelled multi-line text field. */
export function TextAreaField({
  id,
  label,
  error,
  hint,
  onValue,
  ...area
}: LabelledFieldProps & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange' | 'id'>) {
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        id={id}
        rows={3}
        aria-invalid={error ? true : undefined}
        aria-describedby={describedByIds(id, error, hint)}
        onChange={(event) => onValue(event.currentTarget.value)}
        {...area}
      />
      <FieldMessage id={id} error={error} hint={hint} />
    </div>
  );
}
