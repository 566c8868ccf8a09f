import { useSyncExternalStore } from 'react';

const WIDE = '(min-width: 768px)';

function watchWide(onChange: () => void): () => void {
  const query = window.matchMedia(WIDE);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

/** Whether the viewport is wide enough for columns: the same breakpoint as the style sheets. */
export const useWide = (): boolean =>
  useSyncExternalStore(watchWide, () => window.matchMedia(WIDE).matches);
