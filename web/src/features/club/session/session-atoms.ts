import { atom } from 'jotai';
import type { Whoami } from '@/api/wire-club';

/** Who it is; what the server says of the session itself, no club's screen needs. */
export type Who = Pick<Whoami, 'role' | 'clubSlug' | 'user'>;

export type Session =
  | { state: 'unknown' }
  | { state: 'guest' }
  | { state: 'in'; whoami: Who }
  /** The server could not be asked; what the browser remembers has to do for showing (decision A-14). */
  | { state: 'unsure' };

export const sessionAtom = atom<Session>({ state: 'unknown' });

/** A call was answered 401 while somebody was signed in: the login stands over the page until they are again. */
export const expiredAtom = atom(false);

/** Grows at each login, so that what failed for want of one is asked for again. */
export const loginRoundAtom = atom(0);

export const signedInAtom = atom(null, (get, set, whoami: Who) => {
  set(sessionAtom, { state: 'in', whoami });
  set(expiredAtom, false);
  set(loginRoundAtom, get(loginRoundAtom) + 1);
});
