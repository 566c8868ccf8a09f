/** The page that a guest opened before the login. The login returns to it. */

/** Pages of the club's desk and of the operator's console. */
const DESK_PATH = /^\/(admin|super-admin|club\/[^/]+\/admin)(\/|$)/;
const RETURN_PARAMETER = 'next';
const LOGIN_PATH = '/admin/login';

/**
 * Returns `path` without its origin if it is a page of the desk on this origin, or null. A link to
 * the login may come from anyone, so it must never lead to another site.
 */
export function deskPathOf(path: string | null): string | null {
  // A browser reads a backslash as a slash and drops control characters.

  if (!path?.startsWith('/') || /[\\\u0000-\u001f]/.test(path)) return null;
  let url: URL;
  try {
    url = new URL(path, window.location.origin);
  } catch {
    return null;
  }
  if (url.origin !== window.location.origin || url.pathname.startsWith(LOGIN_PATH)) return null;
  return DESK_PATH.test(url.pathname) ? url.pathname + url.search + url.hash : null;
}

/**
 * Returns the address of the login that leads back to the current page. The login itself keeps its
 * requested page.
 */
export function loginPathWithReturn(): string {
  const { pathname, search, hash } = window.location;
  const path =
    pathname === LOGIN_PATH ? requestedReturnPath() : deskPathOf(pathname + search + hash);
  // A plain login already leads to these two.
  if (path === null || path === '/admin' || path === '/super-admin') return LOGIN_PATH;
  return `${LOGIN_PATH}?${new URLSearchParams({ [RETURN_PARAMETER]: path }).toString()}`;
}

/** Returns the page in the current address to which the login returns, or null. */
export const requestedReturnPath = (): string | null =>
  deskPathOf(new URLSearchParams(window.location.search).get(RETURN_PARAMETER));

/**
 * Returns the path after a login. An operator first enters a code in the console, which then opens
 * the requested page. A club has no console.
 */
export function pathAfterLogin(user: { isAdmin: boolean }): string {
  const path = requestedReturnPath();
  const isConsole = path?.startsWith('/super-admin') ?? false;
  if (!user.isAdmin) return path === null || isConsole ? '/admin' : path;
  if (path === null || isConsole) return path ?? '/super-admin';
  return `/super-admin?${new URLSearchParams({ [RETURN_PARAMETER]: path }).toString()}`;
}
