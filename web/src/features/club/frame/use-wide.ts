import { useSyncExternalStore } from 'react';

const WIDE = '(min-width: 768px)';

function watchWide(onChange: () => void): () => void {
  const query = window.matchMedia(WIDE);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

/** Room for things beside each other: the same width at which the style sheets turn. */
export const useWide = (): boolean =>
  useSyncExternalStore(watchWide, () => window.matchMedia(WIDE).matches);
