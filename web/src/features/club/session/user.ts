/** Who signed in, as the browser remembers it under `user`; for showing only, the server never believes it (decision G-4). */
import type { User } from '@/api/wire-club';
import { C } from '@/shared/strings-club';
import { forgetStored, readStored, writeStored } from '@/shared/storage';
import type { Who } from './session-atoms';

export function rememberUser(user: User): void {
  writeStored('local', C.userKey, user);
}

export function forgetUser(): void {
  forgetStored('local', C.userKey);
}

export function rememberedUser(): User | null {
  const stored = readStored('local', C.userKey) as Partial<User> | null;
  return typeof stored?.id === 'number' && typeof stored.name === 'string'
    ? (stored as User)
    : null;
}

/** The address this one logs in with: their own, or the club’s. */
export const loginOf = (user: User | null): string => user?.memberEmail ?? user?.email ?? '';

export function whoamiOf(user: User): Who {
  return { role: user.isAdmin ? 'super-admin' : 'club-admin', clubSlug: user.clubSlug, user };
}

/** Where somebody goes after signing in (B:20): the operator to the console, a club to its side. */
export function homeOf(user: Pick<User, 'isAdmin'>): string {
  return user.isAdmin ? '/super-admin' : '/admin';
}

/** A club's own addresses; without a slug the plain ones. */
export function adminPath(slug: string | null, page = ''): string {
  const rest = page === '' ? '' : `/${page}`;
  return slug ? `/club/${encodeURIComponent(slug)}/admin${rest}` : `/admin${rest}`;
}
