/** Constants shared by the pages and the service worker (`offline/sw.ts`). */

export const OFFLINE_MESSAGE = "You are offline – tickets can't be bought";

/** Attribute of the root element of a page from the worker's cache. */
export const CACHED_COPY_ATTRIBUTE = 'data-copy';
/** Header of a page or draw response from the worker's cache. It has no server time. */
export const CACHED_COPY_HEADER = 'x-copy';

/** Whether this page comes from the worker's cache. The page's data and time are then old. */
export const isCachedCopy = (): boolean =>
  document.documentElement.hasAttribute(CACHED_COPY_ATTRIBUTE);
