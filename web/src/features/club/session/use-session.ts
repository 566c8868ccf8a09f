/** Asking the server who is signed in, once, and what to do when nobody is any more. */
import { useAtom, useAtomValue, useSetAtom, useStore } from 'jotai';
import { useCallback, useEffect, useState } from 'react';
import { fetchWhoami, logout } from '@/api/endpoints/club';
import { Problem } from '@/api/http';
import type { User } from '@/api/wire-club';
import { C } from '@/shared/strings-club';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { expiredAtom, sessionAtom, signedInAtom, type Session } from './session-atoms';
import { forgetAnswersAtom } from '../data/answers-atoms';
import { said } from '../data/said';
import { forgetUser, rememberUser, whoamiOf } from './user';

/** The session, asked for when it is not known yet. */
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
      (error: unknown) => current && setSession({ state: isOver(error) ? 'guest' : 'unsure' }),
    );
    return () => {
      current = false;
    };
  }, [session.state, setSession]);
  return session;
}

/** To be called when login or registration was answered. */
export function useSignIn(): (user: User) => void {
  const store = useStore();
  return useCallback(
    (user) => {
      rememberUser(user);
      store.set(forgetAnswersAtom);
      store.set(signedInAtom, whoamiOf(user));
    },
    [store],
  );
}

/** Ends the session on the server and here, and says whether it has ended. One that had ended already is as good; whatever else goes wrong may have left it open, and is said. */
export function useLogout(): () => Promise<boolean> {
  const store = useStore();
  return useCallback(async () => {
    try {
      await logout();
    } catch (error) {
      if (!isOver(error)) {
        store.set(showToastAtom, {
          bad: true,
          title: 'Logout failed',
          text: said(error, C.pleaseTryAgain),
        });
        return false;
      }
    }
    forgetUser();
    store.set(forgetAnswersAtom);
    store.set(sessionAtom, { state: 'guest' });
    return true;
  }, [store]);
}

/** The session has run out; the login is to stand over the page. */
export const isOver = (error: unknown): boolean => error instanceof Problem && error.status === 401;

/** For what asks by itself: opens the login when the session has run out, and says whether it did. */
export function useOver(): (error: unknown) => boolean {
  const setExpired = useSetAtom(expiredAtom);
  return useCallback(
    (error) => {
      if (isOver(error)) setExpired(true);
      return isOver(error);
    },
    [setExpired],
  );
}

/** Asks once more who is signed in, for what has changed elsewhere; what is known stays when no answer comes. */
export function useWhoamiAgain(): () => Promise<void> {
  const store = useStore();
  return useCallback(async () => {
    const whoami = await fetchWhoami().catch(() => null);
    // Whoever logged out in between stays out.
    if (!whoami || store.get(sessionAtom).state === 'guest') return;
    rememberUser(whoami.user);
    store.set(sessionAtom, { state: 'in', whoami });
  }, [store]);
}

/** Runs one write at a time: says that it is pending, and opens the login when the session has run out. */
export function useAction(): {
  pending: boolean;
  run: (act: () => Promise<void>, onProblem: (error: unknown) => void) => Promise<void>;
} {
  const [pending, setPending] = useState(false);
  const over = useOver();
  const run = async (act: () => Promise<void>, onProblem: (error: unknown) => void) => {
    if (pending) return;
    setPending(true);
    try {
      await act();
    } catch (error) {
      if (!over(error)) onProblem(error);
    } finally {
      setPending(false);
    }
  };
  return { pending, run };
}

export const useExpired = () => useAtomValue(expiredAtom);
