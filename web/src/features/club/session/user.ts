/**
 * The signed-in user as stored in the browser under `user`. The stored user is for display only;
 * the server never trusts it (decision G-4).
 */
import type { User } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { forgetStored, readStored, writeStored } from '@/shared/storage';
import type { SignedInUser } from './session-atoms';

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

/** Returns the e-mail address that this user logs in with: the member's own, or the club's. */
export const loginEmailOf = (user: User | null): string => user?.memberEmail ?? user?.email ?? '';

export function whoamiOf(user: User): SignedInUser {
  return { role: user.isAdmin ? 'super-admin' : 'club-admin', clubSlug: user.clubSlug, user };
}

/** Returns the path of a club page. Without a slug, returns the path below /admin. */
export function adminPath(slug: string | null, page = ''): string {
  const rest = page === '' ? '' : `/${page}`;
  return slug ? `/club/${encodeURIComponent(slug)}/admin${rest}` : `/admin${rest}`;
}
