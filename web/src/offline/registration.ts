/**
 * Registers the service worker after the page has loaded, and lets the worker cache what the page
 * had loaded before.
 */
import { cacheStrategy } from './cache-strategy';

/** URL of the service worker, which is built separately. The bundler must not resolve it. */
const WORKER_URL = '/sw.js';

const refetch = (url: string) => void fetch(url).catch(() => {});

/**
 * Requests the page again through the worker, which caches it. Needed for the page that installed the
 * worker, and for pages opened without a new document.
 */
function refetchPageThroughWorker(): void {
  const { origin, pathname } = window.location;
  if (
    navigator.serviceWorker.controller &&
    cacheStrategy({ method: 'GET', url: origin + pathname }, origin) === 'network first'
  )
    refetch(pathname);
}

/**
 * Requests each built file of the page once through the worker, also a file that is still being
 * loaded while the worker takes over. The bytes come from the browser's HTTP cache.
 */
function refetchFilesThroughWorker(): void {
  const seen = new Set<string>();
  const observer = new PerformanceObserver((list) => {
    for (const { name: url } of list.getEntries()) {
      if (seen.has(url)) continue;
      seen.add(url);
      if (cacheStrategy({ method: 'GET', url }, window.location.origin) === 'cache first')
        refetch(url);
    }
  });
  observer.observe({ type: 'resource', buffered: true });
}

/**
 * Registers the worker. Called by public pages only, because boards, widgets, club and operator
 * pages work without the worker.
 */
export function registerOfflineWorker(): void {
  // Service workers are missing over plain HTTP, and where the user has disabled them.
  if (!('serviceWorker' in navigator)) return;
  navigator.serviceWorker.addEventListener('controllerchange', () => {
    refetchPageThroughWorker();
    refetchFilesThroughWorker();
  });
  window.addEventListener('pushState', refetchPageThroughWorker);
  const begin = () => void navigator.serviceWorker.register(WORKER_URL).catch(() => {});
  if (document.readyState === 'complete') begin();
  else window.addEventListener('load', begin, { once: true });
}
