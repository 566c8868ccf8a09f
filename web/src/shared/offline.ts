/** What the pages and the worker behind them (`offline/sw.ts`) agree on. */

export const OFFLINE_TEXTS = "You are offline – tickets can't be bought";

/** On the root element of a page that the worker kept from an earlier visit. */
export const COPY_ATTRIBUTE = 'data-copy';
/** On an answer that it kept; such a one carries no server's time either. */
export const COPY_HEADER = 'x-copy';

/** Whether this page lies here from an earlier visit: nothing in it is of today, its clock neither. */
export const isCopy = (): boolean => document.documentElement.hasAttribute(COPY_ATTRIBUTE);
