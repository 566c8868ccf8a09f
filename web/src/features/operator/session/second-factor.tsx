import { useEffect, useState } from 'react';
import { enrol, logout, verifyCode } from '@/api/endpoints/operator';
import type { Enrolment, Whoami } from '@/api/wire-operator';
import { usePageTitle } from '@/shared/ui/page-title';
import { CodeForm } from './code-field';
import { isOver, isWrongCode, said } from './error-kinds';

interface SecondFactorProps {
  step: 'enrol' | 'required';
  onIn: (whoami: Whoami) => void;
  onOut: () => void;
}

/**
 * Second step of the operator's login: six digits. The first time it also sets up the
 * authenticator app.
 */
export function SecondFactor({ step, onIn, onOut }: SecondFactorProps) {
  usePageTitle(step === 'enrol' ? 'Set up two-step login' : 'Two-step login');
  const onCode = async (code: string) => {
    try {
      onIn(await verifyCode(code));
      return null;
    } catch (error) {
      if (isOver(error)) onOut();
      return isWrongCode(error)
        ? said(error) || 'That code is not right. Codes change every 30 seconds.'
        : said(error) || 'The code could not be checked. Please try again.';
    }
  };
  return (
    <main className="ops-gate" id="main">
      <div className="card ops-gate-card">
        <h1>{step === 'enrol' ? 'Set up two-step login' : 'Two-step login'}</h1>
        {step === 'enrol' ? (
          <Enrol />
        ) : (
          <p>Open your authenticator app and enter the code for Football Doubles.</p>
        )}
        <CodeForm id="code" label="Six-digit code" button="Continue" onCode={onCode}>
          <button
            type="button"
            className="btn sec"
            onClick={() =>
              void logout()
                .catch(() => {})
                .then(onOut)
            }
          >
            Log in as somebody else
          </button>
        </CodeForm>
      </div>
    </main>
  );
}

const grouped = (secret: string) => secret.replace(/(.{4})(?=.)/g, '$1 ');

function Enrol() {
  const [made, setMade] = useState<Enrolment | null>(null);
  const [trouble, setTrouble] = useState('');
  useEffect(() => {
    enrol().then(setMade, (error: unknown) =>
      setTrouble(said(error) || 'The secret could not be made. Reload the page to try again.'),
    );
  }, []);
  if (trouble)
    return (
      <p className="callout is-bad" role="alert">
        {trouble}
      </p>
    );
  return (
    <>
      <ol className="ops-enrol">
        <li>Open an authenticator app: the one on your phone, or your password manager.</li>
        <li>
          Scan this, or type the secret below it.
          {made ? (
            <img src={made.qrDataUrl} width="180" height="180" alt="The secret as a QR code" />
          ) : (
            <span className="bone" style={{ width: 180, height: 180 }} />
          )}
          {made ? <code>{grouped(made.secret)}</code> : null}
        </li>
        <li>Enter the code that the app shows.</li>
      </ol>
    </>
  );
}
