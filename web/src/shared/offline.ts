/** Constants shared by the pages and the service worker (`offline/sw.ts`). */

export const OFFLINE_TEXTS = "You are offline – tickets can't be bought";

/** Attribute of the root element of a page from the worker's cache. */
export const COPY_ATTRIBUTE = 'data-copy';
/** Header of a response from the worker's cache. Such a response has no server time. */
export const COPY_HEADER = 'x-copy';

/** Whether this page comes from the worker's cache. The page's data and time are then old. */
export const isCopy = (): boolean => document.documentElement.hasAttribute(COPY_ATTRIBUTE);
