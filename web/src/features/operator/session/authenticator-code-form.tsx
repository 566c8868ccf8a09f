import { useState, type FormEvent, type ReactNode } from 'react';
import { Field } from '@/shared/ui/field';

interface AuthenticatorCodeFormProps {
  id: string;
  label: string;
  button: string;
  /** Sends the code. Resolves to an error message, or null on success. */
  onCode: (code: string) => Promise<string | null>;
  children?: ReactNode;
}

const AUTHENTICATOR_CODE_DIGITS = 6;

/**
 * Field for the six digits of the authenticator app; spaces are allowed. The form submits when all
 * six are typed.
 */
export function AuthenticatorCodeForm({
  id,
  label,
  button,
  onCode,
  children,
}: AuthenticatorCodeFormProps) {
  const [code, setCode] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const send = async (digits: string) => {
    if (busy) return;
    if (digits.length !== AUTHENTICATOR_CODE_DIGITS) {
      setError('Enter the six digits of your app.');
      return;
    }
    setBusy(true);
    const message = await onCode(digits);
    setBusy(false);
    setError(message);
    if (message) {
      setCode('');
      document.getElementById(id)?.focus();
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void send(code.replace(/\D/g, ''));
  };
  return (
    <form onSubmit={onSubmit} noValidate>
      <Field
        id={id}
        label={label}
        value={code}
        error={error}
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={AUTHENTICATOR_CODE_DIGITS + 1}
        autoFocus
        data-autofocus
        className="ops-code"
        enterKeyHint="go"
        onValue={(value) => {
          const input = value.replace(/[^\d ]/g, '');
          setCode(input);
          if (error && input) setError(null);
          const digits = input.replace(/\D/g, '');
          if (digits.length === AUTHENTICATOR_CODE_DIGITS) void send(digits);
        }}
      />
      <div className="actions">
        <button type="submit" className="btn" disabled={busy}>
          {button}
        </button>
        {children}
      </div>
    </form>
  );
}
