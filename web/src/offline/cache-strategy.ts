/** All that the worker decides, without a browser: what may be kept of what somebody asks for, and what comes first. */

export type CacheStrategy = 'network only' | 'cache first' | 'network first';

/** The part of a request that matters. */
export interface RequestTraits {
  method: string;
  /** Absolute. */
  url: string;
}

/** A built file with a digest in its name, so that it never means something else (`site/files.rs`). */
const ASSET = /^\/assets\/[\w.-]+\.[0-9a-f]{8,}\.\w+$/;
/** Pages that are the same for everybody: landing, draw, club, offer. A name is added here only if its document knows no browser. */
const PAGE = /^\/(draw\/\d+\/?|club\/[^/]+\/?|club\/[^/]+\/(specials|offer)\/[^/]+\/?)?$/i;
/** Draws as anyone may see them. Tickets are not among them: after the result they carry pairs. */
const ANSWER = /^\/api\/draws\/(active|awaiting-results|completed|\d+)$/;
/** What is no person's screen: calls, pictures, the demo's stand-ins, and boards, which never reload into an outage by themselves. */
const NO_SCREEN = /^\/(api|assets|og|sandbox|uploads|w|widgets)\/|\/display\/?$/i;

export function cacheStrategy({ method, url }: RequestTraits, origin: string): CacheStrategy {
  const { origin: requestOrigin, pathname, search } = new URL(url);
  if (method !== 'GET' || requestOrigin !== origin) return 'network only';
  if (ASSET.test(pathname)) return 'cache first';
  // A list of one club's draws is a club's desk's question.
  return PAGE.test(pathname) || (ANSWER.test(pathname) && search === '')
    ? 'network first'
    : 'network only';
}

/** Under which name a copy lies: what a link says after its `?` is never kept. */
export const nameOf = (url: string): string => new URL(url).pathname;

/** Whether who asks is a person who would otherwise read the browser's own words. */
export const isScreen = (url: string): boolean => !NO_SCREEN.test(nameOf(url));
