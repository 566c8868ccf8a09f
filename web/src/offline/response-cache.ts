/**
 * The service worker's caches: the built files of this build, and the pages and draws seen last.
 */
import { CACHED_COPY_ATTRIBUTE, CACHED_COPY_HEADER } from '@/shared/offline';

/** The build's digest (`scripts/build.mjs`). A new build starts with empty caches. */
const BUILD_DIGEST = process.env.FD_BUILD ?? 'dev';
export const ASSETS_CACHE = `assets-${BUILD_DIGEST}`;
export const VISITED_PAGES_CACHE = `seen-${BUILD_DIGEST}`;
/** Limit on the number of cached pages and draw responses together. */
export const VISITED_PAGES_MAX = 40;

/**
 * Whether a response is complete, from this site and not `no-store`. Every response to one person
 * is `no-store`. A missing header counts as `no-store`.
 */
export function isCacheable(answer: Response): boolean {
  const cacheControl = answer.headers.get('cache-control') ?? 'no-store';
  return (
    answer.status === 200 &&
    answer.type === 'basic' &&
    !answer.redirected &&
    !cacheControl.includes('no-store')
  );
}

/** Stores a response. A page or draw becomes the newest cached one, and the oldest are removed. */
export async function cacheResponse(
  where: typeof ASSETS_CACHE | typeof VISITED_PAGES_CACHE,
  name: string,
  answer: Response,
): Promise<void> {
  const cache = await caches.open(where);
  if (where === VISITED_PAGES_CACHE) await cache.delete(name, { ignoreVary: true });
  await cache.put(name, answer);
  if (where !== VISITED_PAGES_CACHE) return;
  const names = await cache.keys();
  for (const old of names.slice(0, Math.max(0, names.length - VISITED_PAGES_MAX)))
    await cache.delete(old, { ignoreVary: true });
}

export async function readCachedAsset(name: string): Promise<Response | undefined> {
  return (await caches.open(ASSETS_CACHE)).match(name, { ignoreVary: true });
}

/**
 * Returns the cached response, marked as a copy. The copy has no server time, because an old time
 * would set the clock wrong.
 */
export async function readCachedPage(name: string): Promise<Response | undefined> {
  const cached = await (await caches.open(VISITED_PAGES_CACHE)).match(name, { ignoreVary: true });
  if (!cached) return undefined;
  const headers = new Headers(cached.headers);
  for (const untrue of ['content-encoding', 'content-length', 'x-server-time'])
    headers.delete(untrue);
  headers.set(CACHED_COPY_HEADER, 'yes');
  // Marks the root element of a document. Other responses do not start with this text and stay
  // unchanged.
  const text = (await cached.text()).replace(
    /^<!doctype html>\s*<html /,
    (start) => `${start}${CACHED_COPY_ATTRIBUTE} `,
  );
  return new Response(text, { headers });
}

export async function deleteOldCaches(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(
    names
      .filter((name) => name !== ASSETS_CACHE && name !== VISITED_PAGES_CACHE)
      .map((name) => caches.delete(name)),
  );
}
