import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { verifyEmail } from '@/api/endpoints/club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { errorText } from '../data/error-text';
import { LoginLayout } from './login-layout';
import { useMailedLinkToken } from './use-token-once';

const INVALID_LINK_TEXT = 'This link is invalid or has expired.';

/** Target page of the link in the verification e-mail (decision G-18). */
export function VerifyEmailPage() {
  const token = useMailedLinkToken();
  const [outcome, setOutcome] = useState<string | null>(token ? null : INVALID_LINK_TEXT);
  const [verified, setVerified] = useState(false);
  useEffect(() => {
    if (!token) return;
    verifyEmail(token).then(
      () => setVerified(true),
      (error: unknown) => setOutcome(errorText(error, C.pleaseTryAgain)),
    );
  }, [token]);
  const title = verified
    ? 'Email confirmed'
    : outcome
      ? 'Email not confirmed'
      : 'Confirming your email';
  return (
    <LoginLayout title={title}>
      <h1>{title}</h1>
      <div className="card" role="status">
        <p>
          {verified
            ? 'Thank you. We can reach your club at this address.'
            : (outcome ?? 'One moment.')}
        </p>
        <Link className="btn" href="/admin">
          {C.returnToDashboard}
        </Link>
      </div>
    </LoginLayout>
  );
}
