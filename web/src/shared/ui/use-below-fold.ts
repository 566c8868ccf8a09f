import { useDeferredValue } from 'react';

/**
 * False in the page's first render, and true in the second. The second render can be interrupted,
 * so that what is seen first does not wait for the rest of the page.
 */
export const useBelowFold = (): boolean => useDeferredValue(true, false);
