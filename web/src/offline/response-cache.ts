/** Copies of what was seen: built files of this build, and the last pages and draws. */
import { COPY_ATTRIBUTE, COPY_HEADER } from '@/shared/offline';

/** The build's digest (`scripts/build.mjs`): another build begins with nothing. */
const BUILD = process.env.FD_BUILD ?? 'dev';
export const ASSETS = `assets-${BUILD}`;
export const SEEN = `seen-${BUILD}`;
/** Pages and answers together. */
export const SEEN_MAX = 40;

/** Whole, our own, and not forbidden: whatever belongs to one person is answered with `no-store`. What says nothing is not kept. */
export function mayKeep(answer: Response): boolean {
  const said = answer.headers.get('cache-control') ?? 'no-store';
  return (
    answer.status === 200 &&
    answer.type === 'basic' &&
    !answer.redirected &&
    !said.includes('no-store')
  );
}

/** The newest lies last, and the oldest make room. */
export async function keep(
  where: typeof ASSETS | typeof SEEN,
  name: string,
  answer: Response,
): Promise<void> {
  const cache = await caches.open(where);
  if (where === SEEN) await cache.delete(name, { ignoreVary: true });
  await cache.put(name, answer);
  if (where !== SEEN) return;
  const names = await cache.keys();
  for (const old of names.slice(0, Math.max(0, names.length - SEEN_MAX)))
    await cache.delete(old, { ignoreVary: true });
}

export async function assetOf(name: string): Promise<Response | undefined> {
  return (await caches.open(ASSETS)).match(name, { ignoreVary: true });
}

/** What was seen last, marked as a copy: it must not teach anybody the time, nor pass for news. */
export async function copyOf(name: string): Promise<Response | undefined> {
  const kept = await (await caches.open(SEEN)).match(name, { ignoreVary: true });
  if (!kept) return undefined;
  const headers = new Headers(kept.headers);
  for (const untrue of ['content-encoding', 'content-length', 'x-server-time'])
    headers.delete(untrue);
  headers.set(COPY_HEADER, 'yes');
  // Only a document begins with it.
  const text = (await kept.text()).replace(
    /^<!doctype html>\s*<html /,
    (start) => `${start}${COPY_ATTRIBUTE} `,
  );
  return new Response(text, { headers });
}

export async function dropOld(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name !== ASSETS && name !== SEEN).map((name) => caches.delete(name)),
  );
}
