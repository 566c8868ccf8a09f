import { beforeEach, expect, test, vi } from 'vitest';
import { CACHED_COPY_HEADER } from '@/shared/offline';
import {
  ASSETS_CACHE,
  VISITED_PAGES_CACHE,
  VISITED_PAGES_MAX,
  readCachedPage,
  deleteOldCaches,
  cacheResponse,
  isCacheable,
} from './response-cache';
import { offlinePage } from './offline-page';

/**
 * A fake of the browser's caches with the methods that are used. Entries keep the order of
 * insertion.
 */
class FakeCacheStorage {
  readonly caches = new Map<string, Map<string, Response>>();
  keys = () => Promise.resolve([...this.caches.keys()]);
  delete = (name: string) => Promise.resolve(this.caches.delete(name));
  open(name: string) {
    const cache = this.caches.get(name) ?? new Map<string, Response>();
    this.caches.set(name, cache);
    return Promise.resolve({
      put: (key: string, answer: Response) => Promise.resolve(void cache.set(key, answer)),
      match: (key: string) => Promise.resolve(cache.get(key)?.clone()),
      delete: (key: string) => Promise.resolve(cache.delete(key)),
      keys: () => Promise.resolve([...cache.keys()]),
    });
  }
}

let cacheStorage: FakeCacheStorage;
beforeEach(() => {
  cacheStorage = new FakeCacheStorage();
  vi.stubGlobal('caches', cacheStorage);
  return () => vi.unstubAllGlobals();
});

/** Creates a response as it comes from this site. */
function makeResponse(headers: Record<string, string>, more: Partial<Response> = {}): Response {
  const answer = new Response('x', { headers });
  for (const [name, value] of Object.entries({ type: 'basic', ...more }))
    Object.defineProperty(answer, name, { value });
  return answer;
}

test('private, failed, redirected and foreign responses are not cached', () => {
  const open = { 'cache-control': 'private, no-cache' };
  expect(isCacheable(makeResponse(open))).toBe(true);
  for (const not of [
    makeResponse({ 'cache-control': 'no-store' }),
    makeResponse({}),
    makeResponse(open, { status: 404 }),
    makeResponse(open, { status: 503 }),
    makeResponse(open, { redirected: true }),
    makeResponse(open, { type: 'opaqueredirect' }),
  ])
    expect(isCacheable(not)).toBe(false);
});

test('cached page is marked as a copy and has no server time', async () => {
  await cacheResponse(
    VISITED_PAGES_CACHE,
    '/draw/1042',
    new Response('<!doctype html>\n<html lang="en-AU"><p>a <html b', {
      headers: {
        'content-type': 'text/html',
        'x-server-time': '1',
        'content-encoding': 'gzip',
        'content-security-policy': "default-src 'self'",
      },
    }),
  );
  const copy = await readCachedPage('/draw/1042');
  expect(await copy?.text()).toBe('<!doctype html>\n<html data-copy lang="en-AU"><p>a <html b');
  expect([
    copy?.headers.get(CACHED_COPY_HEADER),
    copy?.headers.get('x-server-time'),
    copy?.headers.get('content-encoding'),
  ]).toEqual(['yes', null, null]);
  expect(copy?.headers.get('content-security-policy')).toBe("default-src 'self'");
  expect(await readCachedPage('/draw/1043')).toBeUndefined();
});

test('oldest pages are removed, recent pages and built files stay', async () => {
  for (let draw = 1; draw <= VISITED_PAGES_MAX; draw++)
    await cacheResponse(VISITED_PAGES_CACHE, `/draw/${draw}`, new Response('x'));
  await cacheResponse(VISITED_PAGES_CACHE, '/draw/1', new Response('x'));
  await cacheResponse(VISITED_PAGES_CACHE, '/', new Response('x'));
  expect(cacheStorage.caches.get(VISITED_PAGES_CACHE)?.size).toBe(VISITED_PAGES_MAX);
  expect([
    await readCachedPage('/draw/2'),
    (await readCachedPage('/draw/1')) === undefined,
  ]).toEqual([undefined, false]);
  for (let chunk = 0; chunk <= VISITED_PAGES_MAX; chunk++)
    await cacheResponse(ASSETS_CACHE, `/assets/${chunk}.js`, new Response('x'));
  expect(cacheStorage.caches.get(ASSETS_CACHE)?.size).toBe(VISITED_PAGES_MAX + 1);
});

test('new build drops the caches of other builds', async () => {
  for (const name of [ASSETS_CACHE, VISITED_PAGES_CACHE, 'seen-of-old', 'assets-of-old'])
    await cacheStorage.open(name);
  await deleteOldCaches();
  expect(await cacheStorage.keys()).toEqual([ASSETS_CACHE, VISITED_PAGES_CACHE]);
});

test('page without a copy is replaced by a page without scripts', async () => {
  const page = offlinePage();
  const text = await page.text();
  expect([page.status, page.headers.get('cache-control')]).toEqual([503, 'no-store']);
  expect(text).toContain("You are offline – tickets can't be bought");
  expect(text).not.toContain('<script');
});
