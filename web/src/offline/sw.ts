/**
 * The service worker, `/sw.js`. Without a mobile signal, a page that was seen before still opens
 * and says that it is old. A response from the network is always used, whatever its status. Only
 * built files, whose names contain their digest, come from the cache first. Any other cached copy
 * is used only after the request has failed, and is marked as a copy.
 * The caches never hold data of a buyer, a login or a secret pair of numbers:
 * - Apart from built files, only the paths in `cache-strategy.ts` are cached: four kinds of page
 *   and the public responses about draws. Their bytes are the same for every visitor. They contain
 *   no buyer's name and no pair before its reveal (`server/tests/api/security/public_bytes.rs`
 *   compares the bytes).
 * - Orders, tickets, `/my`, checkouts, club administration, operator pages and sockets are not
 *   among them.
 * - A `no-store` response is never cached, and every response to one person is `no-store`.
 * - Only GET requests are handled.
 * - The cache key is the path alone, without the query or fragment of a link.
 */
import {
  ASSETS_CACHE,
  VISITED_PAGES_CACHE,
  readCachedAsset,
  readCachedPage,
  deleteOldCaches,
  cacheResponse,
  isCacheable,
} from './response-cache';
import { cacheStrategy, isUserScreen, cacheKeyOf, type CacheStrategy } from './cache-strategy';
import { offlinePage } from './offline-page';

interface ExtendableEvent extends Event {
  waitUntil: (done: Promise<unknown>) => void;
}

interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  /** The page's document, requested while the worker was starting. */
  readonly preloadResponse: Promise<Response | undefined>;
  respondWith: (answer: Promise<Response>) => void;
}

/** The worker globals used here. The compiler's types describe windows only. */
interface WorkerScope {
  addEventListener(kind: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void;
  addEventListener(kind: 'fetch', listener: (event: FetchEvent) => void): void;
  skipWaiting: () => Promise<void>;
  readonly clients: { claim: () => Promise<void> };
  readonly registration: ServiceWorkerRegistration;
  readonly location: Location;
}

const worker = self as unknown as WorkerScope;

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()));

worker.addEventListener('activate', (event) => {
  const begin = async () => {
    await deleteOldCaches();
    await worker.registration.navigationPreload?.enable();
    await worker.clients.claim();
  };
  event.waitUntil(begin());
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const way = cacheStrategy(request, worker.location.origin);
  if (way === 'cache first') event.respondWith(respondCacheFirst(event));
  else if (way === 'network first' || (request.mode === 'navigate' && request.method === 'GET'))
    event.respondWith(respondNetworkFirst(event, way));
});

async function respondCacheFirst(event: FetchEvent): Promise<Response> {
  const name = cacheKeyOf(event.request.url);
  const cached = await readCachedAsset(name);
  if (cached) return cached;
  const answer = await fetch(event.request);
  if (isCacheable(answer)) event.waitUntil(cacheResponse(ASSETS_CACHE, name, answer.clone()));
  return answer;
}

async function respondNetworkFirst(event: FetchEvent, way: CacheStrategy): Promise<Response> {
  const { request } = event;
  const name = cacheKeyOf(request.url);
  try {
    const answer = (await event.preloadResponse) ?? (await fetch(request));
    if (way === 'network first' && isCacheable(answer))
      event.waitUntil(cacheResponse(VISITED_PAGES_CACHE, name, answer.clone()));
    return answer;
  } catch (failure) {
    const copy = way === 'network first' ? await readCachedPage(name) : undefined;
    if (copy) return copy;
    if (request.mode === 'navigate' && isUserScreen(request.url)) return offlinePage();
    throw failure;
  }
}
