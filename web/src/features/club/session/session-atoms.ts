import { atom } from 'jotai';
import { queryClientAtom } from '@/api/query-client-atoms';
import type { Whoami } from '@/api/wire-club';

/** The signed-in user. Club pages do not need the rest of the session. */
export type SignedInUser = Pick<Whoami, 'role' | 'clubSlug' | 'user'>;

export type Session =
  | { state: 'unknown' }
  | { state: 'guest' }
  | { state: 'in'; whoami: SignedInUser }
  /** The server could not be reached; the remembered user is shown (decision A-14). */
  | { state: 'unsure' };

export const sessionAtom = atom<Session>({ state: 'unknown' });

/**
 * Whether a response said that the session has ended. The login dialog is open while this is
 * true.
 */
export const sessionExpiredAtom = atom(false);

/** Stores the user after a login and repeats the queries on the page. */
export const signInAtom = atom(null, (get, set, whoami: SignedInUser) => {
  set(sessionAtom, { state: 'in', whoami });
  set(sessionExpiredAtom, false);
  void get(queryClientAtom).invalidateQueries();
});
