/**
 * Registers the service worker after the page has loaded, and lets the worker cache what the page
 * had loaded before.
 */
import { cacheStrategy } from './cache-strategy';

/** URL of the service worker, which is built separately. The bundler must not resolve it. */
const WORKER_URL = '/sw.js';

/**
 * Requests the page and its files again through the worker, which caches them. Needed for the page
 * that installed the worker, and for pages opened without a new document. Built files come from the
 * browser's HTTP cache.
 */
function refetchPageThroughWorker(): void {
  const { origin, pathname } = window.location;
  if (
    !navigator.serviceWorker.controller ||
    cacheStrategy({ method: 'GET', url: origin + pathname }, origin) !== 'network first'
  )
    return;
  const files = performance.getEntriesByType('resource').map(({ name }) => name);
  const assets = files.filter(
    (url) => cacheStrategy({ method: 'GET', url }, origin) === 'cache first',
  );
  for (const url of [pathname, ...assets]) void fetch(url).catch(() => {});
}

/**
 * Registers the worker. Called by public pages only, because boards, widgets, club and operator
 * pages work without the worker.
 */
export function registerOfflineWorker(): void {
  // Service workers are missing over plain HTTP, and where the user has disabled them.
  if (!('serviceWorker' in navigator)) return;
  navigator.serviceWorker.addEventListener('controllerchange', refetchPageThroughWorker);
  window.addEventListener('pushState', refetchPageThroughWorker);
  const begin = () => void navigator.serviceWorker.register(WORKER_URL).catch(() => {});
  if (document.readyState === 'complete') begin();
  else window.addEventListener('load', begin, { once: true });
}
