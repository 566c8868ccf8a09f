/** Registers the service worker after the page has loaded, and lets it cache what it missed. */
import { cacheStrategy } from './cache-strategy';

/** Built separately from the pages. The bundler must not resolve this address. */
const WORKER = '/sw.js';

/**
 * Requests the page and its files again through the worker, which caches them. This covers the page
 * that installed the worker, and pages opened without a new document. Built files come from the
 * browser's HTTP cache.
 */
function showThisPage(): void {
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
 * Registers the worker. For public pages only: boards, widgets, club and operator pages work
 * without it.
 */
export function registerOfflineWorker(): void {
  // Missing over plain HTTP, and where the user has disabled it.
  if (!('serviceWorker' in navigator)) return;
  navigator.serviceWorker.addEventListener('controllerchange', showThisPage);
  window.addEventListener('pushState', showThisPage);
  const begin = () => void navigator.serviceWorker.register(WORKER).catch(() => {});
  if (document.readyState === 'complete') begin();
  else window.addEventListener('load', begin, { once: true });
}
