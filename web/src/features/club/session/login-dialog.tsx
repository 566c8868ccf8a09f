import { useSetAtom, useStore } from 'jotai';
import { useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { logInWithPassword } from '@/api/endpoints/club';
import { clearQueriesAtom } from '@/api/query-client-atoms';
import { loginPathWithReturn } from '@/shared/return-path';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { Dialog } from '@/shared/ui/dialog';
import { Field } from '@/shared/ui/field';
import { errorText } from '../data/error-text';
import { PasswordField } from './password-field';
import { sessionExpiredAtom, sessionAtom, signInAtom } from './session-atoms';
import { useIsSessionExpired } from './use-session';
import { loginEmailOf, rememberUser, rememberedUser, whoamiOf } from './user';

/**
 * Login dialog above the page after the session expired, so that typed data is not lost. Closing
 * the dialog opens the login page.
 */
export function LoginDialog() {
  const expired = useIsSessionExpired();
  const store = useStore();
  const setExpired = useSetAtom(sessionExpiredAtom);
  const [, navigate] = useLocation();
  const [email, setEmail] = useState(() => loginEmailOf(rememberedUser()));
  const [password, setPassword] = useState('');
  const [error, setError] = useState<string | null>(null);
  const leave = () => {
    if (!store.get(sessionExpiredAtom)) return;
    setExpired(false);
    store.set(sessionAtom, { state: 'guest' });
    navigate(loginPathWithReturn());
  };
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    const before = rememberedUser();
    try {
      const user = await logInWithPassword(email, password);
      // Clears the cache when another user signed in, even within the same club.
      if (loginEmailOf(before) !== loginEmailOf(user)) store.set(clearQueriesAtom);
      rememberUser(user);
      setPassword('');
      setError(null);
      store.set(signInAtom, whoamiOf(user));
      // The open page belongs to the previous user's club.
      if (before && (before.id !== user.id || before.isAdmin !== user.isAdmin)) navigate('/admin');
    } catch (failure) {
      setError(errorText(failure, C.pleaseTryAgain));
    }
  };
  return (
    <Dialog title="Log in again" open={expired} onClose={leave}>
      <form className="stack" onSubmit={(event) => void onSubmit(event)} noValidate>
        <p>You have been away for a while. What you typed on this page is kept.</p>
        {error ? (
          <p className="callout is-bad" role="alert">
            {error}
          </p>
        ) : null}
        <Field
          id="again-email"
          label="Email"
          type="email"
          autoComplete="username"
          value={email}
          onValue={setEmail}
        />
        <PasswordField
          id="again-password"
          label="Password"
          autoComplete="current-password"
          value={password}
          onValue={setPassword}
        />
        <button type="submit" className="btn wide">
          {C.login}
        </button>
      </form>
    </Dialog>
  );
}
