/**
 * Decides what the service worker may cache, and whether the cache or the network comes first.
 * Needs no browser.
 */

export type CacheStrategy = 'network only' | 'cache first' | 'network first';

/** The parts of a request that decide its cache strategy. */
export interface RequestTraits {
  method: string;
  /** The absolute URL. */
  url: string;
}

/**
 * Path of a built file. Its name has a digest, so that its content never changes (`site/files.rs`).
 */
const ASSET_PATH = /^\/assets\/[\w.-]+\.[0-9a-f]{8,}\.\w+$/;
/**
 * Paths of pages that are the same for every visitor: landing, draw, club, offer. Add a page only
 * if its document does not depend on the browser.
 */
const CACHED_PAGE_PATH =
  /^\/(draw\/\d+\/?|club\/[^/]+\/?|club\/[^/]+\/(specials|offer)\/[^/]+\/?)?$/i;
/**
 * Paths of public responses about draws. Tickets are excluded, because they carry pairs after the
 * result.
 */
const CACHED_RESPONSE_PATH = /^\/api\/draws\/(active|awaiting-results|completed|\d+)$/;
/** Paths of API calls, files, sandbox pages, redirects and boards, which are no user's screen. */
const NON_SCREEN_PATH = /^\/(api|assets|og|sandbox|uploads|w|widgets)\/|\/display\/?$/i;

export function cacheStrategy({ method, url }: RequestTraits, origin: string): CacheStrategy {
  const { origin: requestOrigin, pathname, search } = new URL(url);
  if (method !== 'GET' || requestOrigin !== origin) return 'network only';
  if (ASSET_PATH.test(pathname)) return 'cache first';
  // A list with a query is not cached: its cache key, without the query, would be that of the whole
  // list.
  return CACHED_PAGE_PATH.test(pathname) || (CACHED_RESPONSE_PATH.test(pathname) && search === '')
    ? 'network first'
    : 'network only';
}

/** Returns the cache key of a URL: its path. The query is never stored. */
export const cacheKeyOf = (url: string): string => new URL(url).pathname;

/** Whether the URL is a screen of a user, for which the browser would show its own error page. */
export const isUserScreen = (url: string): boolean => !NON_SCREEN_PATH.test(cacheKeyOf(url));
