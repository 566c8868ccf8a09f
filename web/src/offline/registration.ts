/** Brings the worker in, once everything of the first paint is here, and shows it what it was too late for. */
import { cacheStrategy } from './cache-strategy';

/** Built beside the pages, not among them: the bundler is not to look for it. */
const WORKER = '/sw.js';

/**
 * What a page consists of is asked for once more, now through the worker, which keeps it: the page in which the worker came to
 * be, and pages that were reached without a new document. Built files come from the browser's own cache.
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

/** For the public's pages; boards, widgets and desks do without. */
export function registerOfflineWorker(): void {
  // Not over plain http, and not where somebody has forbidden it.
  if (!('serviceWorker' in navigator)) return;
  navigator.serviceWorker.addEventListener('controllerchange', showThisPage);
  window.addEventListener('pushState', showThisPage);
  const begin = () => void navigator.serviceWorker.register(WORKER).catch(() => {});
  if (document.readyState === 'complete') begin();
  else window.addEventListener('load', begin, { once: true });
}
