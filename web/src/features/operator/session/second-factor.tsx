import { useEffect, useState } from 'react';
import { enrolAuthenticator, logout, verifyTotpCode } from '@/api/endpoints/operator';
import { isSessionExpiredError } from '@/api/session-expired';
import type { Enrolment, Whoami } from '@/api/wire-operator';
import { usePageTitle } from '@/shared/ui/page-title';
import { AuthenticatorCodeForm } from './authenticator-code-form';
import { isWrongCodeError, serverMessage } from './error-kinds';

interface SecondFactorFormProps {
  step: 'enrol' | 'required';
  onVerified: (whoami: Whoami) => void;
  onLoggedOut: () => void;
}

/**
 * Second step of the operator's login: six digits. The first time it also sets up the
 * authenticator app.
 */
export function SecondFactorForm({ step, onVerified, onLoggedOut }: SecondFactorFormProps) {
  usePageTitle(step === 'enrol' ? 'Set up two-step login' : 'Two-step login');
  const onCode = async (code: string) => {
    try {
      onVerified(await verifyTotpCode(code));
      return null;
    } catch (error) {
      if (isSessionExpiredError(error)) onLoggedOut();
      return isWrongCodeError(error)
        ? serverMessage(error) || 'That code is not right. Codes change every 30 seconds.'
        : serverMessage(error) || 'The code could not be checked. Please try again.';
    }
  };
  return (
    <main className="ops-login" id="main">
      <div className="card ops-login-card">
        <h1>{step === 'enrol' ? 'Set up two-step login' : 'Two-step login'}</h1>
        {step === 'enrol' ? (
          <AuthenticatorSetup />
        ) : (
          <p>Open your authenticator app and enter the code for Football Doubles.</p>
        )}
        <AuthenticatorCodeForm id="code" label="Six-digit code" button="Continue" onCode={onCode}>
          <button
            type="button"
            className="btn sec"
            onClick={() =>
              void logout()
                .catch(() => {})
                .then(onLoggedOut)
            }
          >
            Log in as somebody else
          </button>
        </AuthenticatorCodeForm>
      </div>
    </main>
  );
}

const groupSecretByFour = (secret: string) => secret.replace(/(.{4})(?=.)/g, '$1 ');

function AuthenticatorSetup() {
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null);
  const [loadError, setLoadError] = useState('');
  useEffect(() => {
    enrolAuthenticator().then(setEnrolment, (error: unknown) =>
      setLoadError(
        serverMessage(error) || 'The secret could not be made. Reload the page to try again.',
      ),
    );
  }, []);
  if (loadError)
    return (
      <p className="callout is-bad" role="alert">
        {loadError}
      </p>
    );
  return (
    <>
      <ol className="ops-enrol">
        <li>Open an authenticator app: the one on your phone, or your password manager.</li>
        <li>
          Scan this, or type the secret below it.
          {enrolment ? (
            <img src={enrolment.qrDataUrl} width="180" height="180" alt="The secret as a QR code" />
          ) : (
            <span className="skeleton" style={{ width: 180, height: 180 }} />
          )}
          {enrolment ? <code>{groupSecretByFour(enrolment.secret)}</code> : null}
        </li>
        <li>Enter the code that the app shows.</li>
      </ol>
    </>
  );
}
