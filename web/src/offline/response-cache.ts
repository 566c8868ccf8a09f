/**
 * The service worker's caches: the built files of this build, and the pages and draws seen last.
 */
import { COPY_ATTRIBUTE, COPY_HEADER } from '@/shared/offline';

/** The build's digest (`scripts/build.mjs`). A new build starts with empty caches. */
const BUILD_DIGEST = process.env.FD_BUILD ?? 'dev';
export const ASSETS = `assets-${BUILD_DIGEST}`;
export const VISITED_PAGES = `seen-${BUILD_DIGEST}`;
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
  where: typeof ASSETS | typeof VISITED_PAGES,
  name: string,
  answer: Response,
): Promise<void> {
  const cache = await caches.open(where);
  if (where === VISITED_PAGES) await cache.delete(name, { ignoreVary: true });
  await cache.put(name, answer);
  if (where !== VISITED_PAGES) return;
  const names = await cache.keys();
  for (const old of names.slice(0, Math.max(0, names.length - VISITED_PAGES_MAX)))
    await cache.delete(old, { ignoreVary: true });
}

export async function cachedAsset(name: string): Promise<Response | undefined> {
  return (await caches.open(ASSETS)).match(name, { ignoreVary: true });
}

/**
 * Returns the cached response, marked as a copy. The copy has no server time, because an old time
 * would set the clock wrong.
 */
export async function cachedPage(name: string): Promise<Response | undefined> {
  const cached = await (await caches.open(VISITED_PAGES)).match(name, { ignoreVary: true });
  if (!cached) return undefined;
  const headers = new Headers(cached.headers);
  for (const untrue of ['content-encoding', 'content-length', 'x-server-time'])
    headers.delete(untrue);
  headers.set(COPY_HEADER, 'yes');
  // Marks the root element of a document. Other responses do not start with this text and stay
  // unchanged.
  const text = (await cached.text()).replace(
    /^<!doctype html>\s*<html /,
    (start) => `${start}${COPY_ATTRIBUTE} `,
  );
  return new Response(text, { headers });
}

export async function deleteOldCaches(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(
    names
      .filter((name) => name !== ASSETS && name !== VISITED_PAGES)
      .map((name) => caches.delete(name)),
  );
}
