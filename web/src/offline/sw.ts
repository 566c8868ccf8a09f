/**
 * The service worker, `/sw.js`: at a ground without signal, a page that was seen still opens, and says that it is old.
 *
 * While the network answers, its answer is what everybody gets, whatever it says; only a built file, whose name holds its
 * digest, comes from here first. A copy is shown when asking failed, and is marked as one.
 *
 * It cannot keep a buyer, a login or a secret pair of numbers. Only what `how` lists is kept: four kinds of page and the
 * public answers about draws, which are the same bytes for everybody, and hold no name of a buyer and no pair that is not
 * revealed (the server's `worlds.rs` compares them byte for byte). Orders, tickets, `/my`, checkouts, desks and sockets are
 * not on the list; nothing that says `no-store`, as every answer to one person does, is kept even if it were; no request but
 * a GET is looked at; and a copy's name is its path alone, without what a link carries after it.
 */
import {
  ASSETS,
  VISITED_PAGES,
  cachedAsset,
  cachedPage,
  deleteOldCaches,
  cacheResponse,
  isCacheable,
} from './response-cache';
import { cacheStrategy, isScreen, nameOf, type CacheStrategy } from './cache-strategy';
import { offlinePage } from './offline-page';

interface ExtendableEvent extends Event {
  waitUntil: (done: Promise<unknown>) => void;
}

interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  /** A page's document, asked for while the worker was still waking up. */
  readonly preloadResponse: Promise<Response | undefined>;
  respondWith: (answer: Promise<Response>) => void;
}

/** What of a worker's surroundings is used here; the compiler knows windows only. */
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
  if (way === 'cache first') event.respondWith(fromHere(event));
  else if (way === 'network first' || (request.mode === 'navigate' && request.method === 'GET'))
    event.respondWith(fromNetwork(event, way));
});

async function fromHere(event: FetchEvent): Promise<Response> {
  const name = nameOf(event.request.url);
  const cached = await cachedAsset(name);
  if (cached) return cached;
  const answer = await fetch(event.request);
  if (isCacheable(answer)) event.waitUntil(cacheResponse(ASSETS, name, answer.clone()));
  return answer;
}

async function fromNetwork(event: FetchEvent, way: CacheStrategy): Promise<Response> {
  const { request } = event;
  const name = nameOf(request.url);
  try {
    const answer = (await event.preloadResponse) ?? (await fetch(request));
    if (way === 'network first' && isCacheable(answer))
      event.waitUntil(cacheResponse(VISITED_PAGES, name, answer.clone()));
    return answer;
  } catch (failure) {
    const copy = way === 'network first' ? await cachedPage(name) : undefined;
    if (copy) return copy;
    if (request.mode === 'navigate' && isScreen(request.url)) return offlinePage();
    throw failure;
  }
}
