/** Loads the signed-in user once and handles the end of the session. */
import { useAtom, useAtomValue, useSetAtom, useStore } from 'jotai';
import { useCallback, useEffect, useState } from 'react';
import { fetchWhoami, logout } from '@/api/endpoints/club';
import { clearQueriesAtom } from '@/api/query-client-atoms';
import { ReauthenticationCancelled } from '@/api/reauthentication';
import { isSessionExpiredError } from '@/api/session-expired';
import type { User } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { sessionExpiredAtom, sessionAtom, signInAtom, type Session } from './session-atoms';
import { errorText } from '../data/error-text';
import { forgetUser, rememberUser, whoamiOf } from './user';

/** Returns the session. Loads it first when it is unknown. */
export function useSession(): Session {
  const [session, setSession] = useAtom(sessionAtom);
  useEffect(() => {
    if (session.state !== 'unknown') return;
    let current = true;
    fetchWhoami().then(
      (whoami) => {
        if (!current) return;
        rememberUser(whoami.user);
        setSession({ state: 'in', whoami });
      },
      (error: unknown) =>
        current && setSession({ state: isSessionExpiredError(error) ? 'guest' : 'unsure' }),
    );
    return () => {
      current = false;
    };
  }, [session.state, setSession]);
  return session;
}

/** Returns the function that stores the user after a successful login or registration. */
export function useSignIn(): (user: User) => void {
  const store = useStore();
  return useCallback(
    (user) => {
      rememberUser(user);
      store.set(clearQueriesAtom);
      store.set(signInAtom, whoamiOf(user));
    },
    [store],
  );
}

/**
 * Returns a function that ends the session on the server and in the browser and resolves to whether
 * the session ended. An already ended session counts as success. Any other failure may have left
 * the session open and is reported.
 */
export function useLogout(): () => Promise<boolean> {
  const store = useStore();
  return useCallback(async () => {
    try {
      await logout();
    } catch (error) {
      if (!isSessionExpiredError(error)) {
        store.set(showToastAtom, {
          bad: true,
          title: 'Logout failed',
          text: errorText(error, C.pleaseTryAgain),
        });
        return false;
      }
    }
    forgetUser();
    store.set(clearQueriesAtom);
    store.set(sessionAtom, { state: 'guest' });
    return true;
  }, [store]);
}

/**
 * Returns a function that opens the login when the session has ended. It returns true when the
 * error needs no report: the session ended or the user cancelled.
 */
export function useHandleExpiredSession(): (error: unknown) => boolean {
  const setExpired = useSetAtom(sessionExpiredAtom);
  return useCallback(
    (error) => {
      if (isSessionExpiredError(error)) setExpired(true);
      return isSessionExpiredError(error) || error instanceof ReauthenticationCancelled;
    },
    [setExpired],
  );
}

/**
 * Reloads the signed-in user after changes elsewhere; keeps the known user when the request fails.
 */
export function useRefreshWhoami(): () => Promise<void> {
  const store = useStore();
  return useCallback(async () => {
    const whoami = await fetchWhoami().catch(() => null);
    // The user may have logged out during the request: do not sign in again.
    if (!whoami || store.get(sessionAtom).state === 'guest') return;
    rememberUser(whoami.user);
    store.set(sessionAtom, { state: 'in', whoami });
  }, [store]);
}

/**
 * Runs one write at a time, tracks that it is pending, and opens the login when the session
 * expired.
 */
export function useMutation(): {
  pending: boolean;
  run: (act: () => Promise<void>, onProblem: (error: unknown) => void) => Promise<void>;
} {
  const [pending, setPending] = useState(false);
  const handleExpiredSession = useHandleExpiredSession();
  const run = async (act: () => Promise<void>, onProblem: (error: unknown) => void) => {
    if (pending) return;
    setPending(true);
    try {
      await act();
    } catch (error) {
      if (!handleExpiredSession(error)) onProblem(error);
    } finally {
      setPending(false);
    }
  };
  return { pending, run };
}

export const useIsSessionExpired = () => useAtomValue(sessionExpiredAtom);
