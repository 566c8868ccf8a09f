import { useEffect, useRef, useState, type FormEvent } from 'react';
import { reauthenticateWithPassword, reauthenticateWithCode } from '@/api/endpoints/club';
import { onReauthenticationRequired } from '@/api/reauthentication';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { Dialog } from '@/shared/ui/dialog';
import { Field } from '@/shared/ui/field';
import { errorText } from '../data/error-text';
import { PasswordField } from './password-field';
import { useHandleExpiredSession } from './use-session';

const REAUTHENTICATION_FIELD_ID = 'reauthentication';

/**
 * Returns focus to the dialog below, because the button pressed there is disabled while its request
 * runs.
 */
function focusUnderlyingDialog(): void {
  if (document.activeElement && document.activeElement !== document.body) return;
  const below = [...document.querySelectorAll<HTMLElement>('dialog[open]')].at(-1);
  below?.querySelector<HTMLElement>('[data-autofocus], button')?.focus();
}

/**
 * Asks for the password, or for the operator's code, when a request needs fresh proof. Concurrent
 * requests share one dialog and its result.
 */
export function ReauthenticationDialog({ operator }: { operator: boolean }) {
  const waiting = useRef<((proven: boolean) => void)[]>([]);
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const answers = waiting.current;
    const withdraw = onReauthenticationRequired(async (password) => {
      if (password !== undefined && !operator) {
        await reauthenticateWithPassword(password);
        return true;
      }
      return new Promise<boolean>((resolve) => {
        answers.push(resolve);
        setOpen(true);
      });
    });
    return () => {
      withdraw();
      for (const resolve of answers.splice(0)) resolve(false);
    };
  }, [operator]);
  const answer = (proven: boolean) => {
    setOpen(false);
    for (const resolve of waiting.current.splice(0)) resolve(proven);
  };
  useEffect(() => {
    if (!open) focusUnderlyingDialog();
  }, [open]);
  return (
    <Dialog title="Confirm it is you" open={open} onClose={() => answer(false)}>
      <ReauthenticationForm operator={operator} onAnswer={answer} />
    </Dialog>
  );
}

function ReauthenticationForm({
  operator,
  onAnswer,
}: {
  operator: boolean;
  onAnswer: (proven: boolean) => void;
}) {
  const [value, setValue] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  const handleExpiredSession = useHandleExpiredSession();
  useEffect(() => document.getElementById(REAUTHENTICATION_FIELD_ID)?.focus(), []);
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    if (pending) return;
    setPending(true);
    try {
      await (operator
        ? reauthenticateWithCode(value.replace(/\D/g, ''))
        : reauthenticateWithPassword(value));
      onAnswer(true);
    } catch (failure) {
      if (handleExpiredSession(failure)) return onAnswer(false);
      setError(errorText(failure, C.pleaseTryAgain));
      setValue('');
      setPending(false);
      document.getElementById(REAUTHENTICATION_FIELD_ID)?.focus();
    }
  };
  return (
    <form className="stack" onSubmit={(event) => void onSubmit(event)} noValidate>
      <p>
        {operator ? 'Enter the code of your authenticator.' : 'Enter the password you log in with.'}{' '}
        You are not asked again for ten minutes.
      </p>
      {operator ? (
        <Field
          id={REAUTHENTICATION_FIELD_ID}
          label="Six-digit code"
          autoComplete="one-time-code"
          inputMode="numeric"
          maxLength={7}
          value={value}
          error={error}
          onValue={setValue}
        />
      ) : (
        <PasswordField
          id={REAUTHENTICATION_FIELD_ID}
          label="Password"
          autoComplete="current-password"
          value={value}
          error={error}
          onValue={setValue}
        />
      )}
      <div className="confirm-actions">
        <button type="button" className="btn sec" onClick={() => onAnswer(false)}>
          Cancel
        </button>
        <button type="submit" className="btn" aria-disabled={pending}>
          Confirm
        </button>
      </div>
    </form>
  );
}
