import { useSetAtom } from 'jotai';
import { useState, type FormEvent } from 'react';
import { Link } from 'wouter';
import { requestPasswordReset } from '@/api/endpoints/club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { Field } from '@/shared/ui/field';
import { ProblemList } from '@/shared/ui/problem-list';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { errorText } from '../data/error-text';
import { useFormProblems } from '../data/use-form-problems';
import { LoginLayout } from './login-layout';
import { isEmail } from './login-rules';

/** Requests a reset link by e-mail. The response does not reveal whether the account exists. */
export function ForgotPasswordPage() {
  const [email, setEmail] = useState('');
  const [sent, setSent] = useState(false);
  const [pending, setPending] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const { problems, list, errorOf, report } = useFormProblems();
  const showToast = useSetAtom(showToastAtom);
  const send = async () => {
    setRefusal(null);
    setPending(true);
    try {
      await requestPasswordReset(email.trim());
      setSent(true);
      showToast({ title: C.resetLinkSent, text: C.resetLinkSentText });
    } catch (error) {
      const text = errorText(error, C.pleaseTryAgain);
      setRefusal(`${C.failedToSendReset}. ${text}`);
      showToast({ title: C.failedToSendReset, text, bad: true });
    } finally {
      setPending(false);
    }
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (
      !pending &&
      report(isEmail(email) ? [] : [{ field: 'forgot-email', text: C.validEmailAddressRequired }])
    )
      void send();
  };
  return (
    <LoginLayout title={sent ? C.checkYourEmail : 'Forgot password'} inError={problems.length > 0}>
      <h1>{sent ? C.checkYourEmail : 'Forgot password'}</h1>
      <div className="card">
        {refusal ? (
          <p className="callout is-bad" role="alert">
            {refusal}
          </p>
        ) : null}
        {sent ? (
          <div role="status">
            <p>{C.resetLinkSentText}</p>
            <p className="lead">
              The link works once, for 30 minutes. Look in the junk folder too.
            </p>
            <div className="actions">
              <button
                type="button"
                className="btn sec"
                disabled={pending}
                onClick={() => void send()}
              >
                {C.sendAgain}
              </button>
              <Link className="btn" href="/admin/login">
                {C.backToLogin}
              </Link>
            </div>
          </div>
        ) : (
          <form onSubmit={onSubmit} noValidate>
            <ProblemList problems={problems} ref={list} />
            <p className="lead">We send you a link to choose a new one.</p>
            <Field
              id="forgot-email"
              name="email"
              label="Email"
              type="email"
              inputMode="email"
              autoComplete="username"
              autoCapitalize="none"
              value={email}
              error={errorOf('forgot-email')}
              onValue={setEmail}
            />
            <button type="submit" className="btn" disabled={pending}>
              Send reset link
            </button>
            <p className="aside">
              <Link href="/admin/login">{C.backToLogin}</Link>
            </p>
          </form>
        )}
      </div>
    </LoginLayout>
  );
}
