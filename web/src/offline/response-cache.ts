/** Copies of what was seen: built files of this build, and the last pages and draws. */
import { COPY_ATTRIBUTE, COPY_HEADER } from '@/shared/offline';

/** The build's digest (`scripts/build.mjs`): another build begins with nothing. */
const BUILD = process.env.FD_BUILD ?? 'dev';
export const ASSETS = `assets-${BUILD}`;
export const VISITED_PAGES = `seen-${BUILD}`;
/** Pages and answers together. */
export const VISITED_PAGES_MAX = 40;

/** Whole, our own, and not forbidden: whatever belongs to one person is answered with `no-store`. What says nothing is not kept. */
export function isCacheable(answer: Response): boolean {
  const cacheControl = answer.headers.get('cache-control') ?? 'no-store';
  return (
    answer.status === 200 &&
    answer.type === 'basic' &&
    !answer.redirected &&
    !cacheControl.includes('no-store')
  );
}

/** The newest lies last, and the oldest make room. */
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

/** What was seen last, marked as a copy: it must not teach anybody the time, nor pass for news. */
export async function cachedPage(name: string): Promise<Response | undefined> {
  const cached = await (await caches.open(VISITED_PAGES)).match(name, { ignoreVary: true });
  if (!cached) return undefined;
  const headers = new Headers(cached.headers);
  for (const untrue of ['content-encoding', 'content-length', 'x-server-time'])
    headers.delete(untrue);
  headers.set(COPY_HEADER, 'yes');
  // Only a document begins with it.
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
