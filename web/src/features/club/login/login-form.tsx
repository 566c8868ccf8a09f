import { useSetAtom } from 'jotai';
import { useState, type FormEvent } from 'react';
import { Link, useLocation } from 'wouter';
import { logInWithPassword } from '@/api/endpoints/club';
import { pathAfterLogin } from '@/shared/return-path';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { CheckboxField, Field } from '@/shared/ui/field';
import { ProblemList } from '@/shared/ui/problem-list';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { errorText } from '../data/error-text';
import { useFormProblems } from '../data/use-form-problems';
import { PasswordField } from '../session/password-field';
import { useSignIn } from '../session/use-session';
import { loginProblems } from './login-rules';

export function LoginForm() {
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [stays, setStays] = useState(false);
  const [refusal, setRefusal] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  const { problems, list, errorOf, report } = useFormProblems();
  const signIn = useSignIn();
  const showToast = useSetAtom(showToastAtom);
  const [, navigate] = useLocation();
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    setRefusal(null);
    if (pending || !report(loginProblems(email, password))) return;
    setPending(true);
    try {
      const user = await logInWithPassword(email.trim(), password, stays);
      signIn(user);
      navigate(pathAfterLogin(user));
    } catch (error) {
      const text = errorText(error, C.pleaseTryAgain);
      setRefusal(text);
      showToast({ title: C.loginFailed, text, bad: true });
    } finally {
      setPending(false);
    }
  };
  return (
    <form onSubmit={(event) => void onSubmit(event)} noValidate>
      <ProblemList problems={problems} ref={list} />
      {refusal ? (
        <p className="callout is-bad" role="alert">
          {refusal}
        </p>
      ) : null}
      <Field
        id="login-email"
        name="email"
        label="Email"
        type="email"
        inputMode="email"
        autoComplete="username"
        autoCapitalize="none"
        enterKeyHint="next"
        value={email}
        error={errorOf('login-email')}
        onValue={setEmail}
      />
      <PasswordField
        id="login-password"
        label="Password"
        autoComplete="current-password"
        value={password}
        error={errorOf('login-password')}
        onValue={setPassword}
      />
      <CheckboxField id="login-stay" checked={stays} onChecked={setStays}>
        Stay signed in for 30 days{' '}
        <span className="field-hint">Clubs only, and not on a shared computer.</span>
      </CheckboxField>
      <button type="submit" className="btn" disabled={pending}>
        {C.login}
      </button>
      <p className="aside">
        <Link href="/forgot-password">Forgot password?</Link>
      </p>
    </form>
  );
}
