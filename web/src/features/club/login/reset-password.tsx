import { useSetAtom } from 'jotai';
import { useState, type FormEvent } from 'react';
import { Link } from 'wouter';
import { confirmPasswordReset } from '@/api/endpoints/club';
import { HttpError } from '@/api/http';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { errorText } from '../data/error-text';
import { PasswordField } from '../session/password-field';
import { LoginLayout } from './login-layout';
import { newPasswordProblem } from './login-rules';
import { useMailedLinkToken } from './use-token-once';

/** Page for an invalid link. It offers no new invitation, because only the club can send one. */
function InvalidResetLink({ invited }: { invited: boolean }) {
  const title = invited ? 'This invitation cannot be used' : C.invalidResetLink;
  return (
    <LoginLayout title={title}>
      <h1>{title}</h1>
      <div className="card">
        <p>
          <strong>{C.invalidLink}</strong>
        </p>
        <p>
          {invited
            ? 'It was used already, has expired, or a newer one was sent. Ask the club to send it again.'
            : C.invalidLinkText}
        </p>
        {invited ? (
          <Link className="btn" href="/admin/login">
            {C.goToLogin}
          </Link>
        ) : (
          <Link className="btn" href="/forgot-password">
            Request a new link
          </Link>
        )}
      </div>
    </LoginLayout>
  );
}

/** Whether the link is an invitation; read before the address bar is cleared. */
const useIsInvitation = () =>
  useState(() => new URLSearchParams(window.location.search).get('invited') === '1')[0];

/**
 * Sets a new password from an e-mailed link: a reset, or the first password of an invited member
 * (decision G-17).
 */
export function ResetPasswordPage() {
  const invited = useIsInvitation();
  const token = useMailedLinkToken();
  const [password, setPassword] = useState('');
  const [repeatedPassword, setRepeatedPassword] = useState('');
  const [problem, setProblem] = useState<ReturnType<typeof newPasswordProblem>>(null);
  const [state, setState] = useState<'open' | 'pending' | 'done' | 'invalid'>('open');
  const showToast = useSetAtom(showToastAtom);
  if (!token || state === 'invalid') return <InvalidResetLink invited={invited} />;
  const complain = (field: string, title: string, text: string) => {
    setProblem({ field, title, text });
    showToast({ title, text, bad: true });
    document.getElementById(field)?.focus();
  };
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    const wrong = newPasswordProblem(password, repeatedPassword);
    if (wrong) return complain(wrong.field, wrong.title, wrong.text);
    setProblem(null);
    setState('pending');
    try {
      await confirmPasswordReset(token, password);
      setState('done');
      showToast({ title: invited ? 'Password set' : C.resetSuccessful });
    } catch (error) {
      const dead = error instanceof HttpError && error.code === 'invalid-link';
      setState(dead ? 'invalid' : 'open');
      if (dead)
        showToast(
          invited
            ? { title: C.invalidLink, bad: true }
            : { title: C.invalidLink, text: C.invalidLinkText, bad: true },
        );
      else
        complain(
          'reset-password',
          invited ? 'Failed to set the password' : C.failedToReset,
          errorText(error, C.pleaseTryAgain),
        );
    }
  };
  const errorOf = (field: string) =>
    problem?.field === field ? `${problem.title}. ${problem.text}` : null;
  const doneTitle = invited ? 'You are in' : C.resetComplete;
  const title = invited ? 'Choose a password' : 'Reset password';
  if (state === 'done') {
    return (
      <LoginLayout title={doneTitle}>
        <h1>{doneTitle}</h1>
        <div className="card" role="status">
          <p>
            {invited
              ? 'Log in with the e-mail address the invitation came to.'
              : 'You can log in with your new password now.'}
          </p>
          <Link className="btn" href="/admin/login">
            {C.goToLogin}
          </Link>
        </div>
      </LoginLayout>
    );
  }
  return (
    <LoginLayout title={title} inError={problem !== null}>
      <h1>{title}</h1>
      {invited ? (
        <p className="lead">Welcome. A club has asked you to help with its draws.</p>
      ) : null}
      <form className="card" onSubmit={(event) => void onSubmit(event)} noValidate>
        <PasswordField
          id="reset-password"
          label="New password"
          autoComplete="new-password"
          value={password}
          hint="At least 8 characters"
          error={errorOf('reset-password')}
          onValue={setPassword}
        />
        <PasswordField
          id="reset-again"
          label="Confirm password"
          autoComplete="new-password"
          value={repeatedPassword}
          error={errorOf('reset-again')}
          onValue={setRepeatedPassword}
        />
        <button type="submit" className="btn" disabled={state === 'pending'}>
          {invited ? 'Set password' : 'Reset password'}
        </button>
      </form>
    </LoginLayout>
  );
}
