import { useEffect, useState, type FormEvent } from 'react';
import { revealWinnerBank } from '@/api/endpoints/club';
import type { BankDetails } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { Dialog } from '@/shared/ui/dialog';
import { errorText } from '../data/error-text';
import { PasswordField } from '../session/password-field';
import { useHandleExpiredSession } from '../session/use-session';

const BANK_DETAILS_SHOWN_MS = 60_000;

/**
 * Reveals the full account numbers for one minute after a password check. The server records the
 * access.
 */
export function BankDetailsReveal({ number }: { number: number }) {
  const [open, setOpen] = useState(false);
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string | null>(null);
  const handleExpiredSession = useHandleExpiredSession();
  const [bank, setBank] = useState<BankDetails | null>(null);
  useEffect(() => {
    if (!bank) return;
    const timer = setTimeout(() => setBank(null), BANK_DETAILS_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [bank]);
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      setBank(await revealWinnerBank(number, password));
      setPassword('');
      setError(null);
      setOpen(false);
    } catch (failure) {
      if (!handleExpiredSession(failure)) setError(errorText(failure, C.pleaseTryAgain));
    }
  };
  return (
    <>
      {bank ? (
        <dl className="facts callout" role="status">
          <dt>BSB</dt>
          <dd>{bank.bsb}</dd>
          <dt>Account number</dt>
          <dd>{bank.accountNumber}</dd>
        </dl>
      ) : (
        <div className="row-actions">
          <button type="button" className="btn small sec" onClick={() => setOpen(true)}>
            Show full numbers
          </button>
        </div>
      )}
      <Dialog title="Show full numbers" open={open} onClose={() => setOpen(false)}>
        <form onSubmit={(event) => void onSubmit(event)} noValidate>
          <p>
            Enter the password you log in with to see the whole numbers for a minute. This is
            recorded.
          </p>
          <PasswordField
            id="reveal-password"
            label="Password"
            autoComplete="current-password"
            value={password}
            error={error}
            onValue={setPassword}
          />
          <div className="confirm-actions">
            <button type="submit" className="btn">
              Show
            </button>
          </div>
        </form>
      </Dialog>
    </>
  );
}
