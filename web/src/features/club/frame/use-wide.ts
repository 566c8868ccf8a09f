import { useSyncExternalStore } from 'react';

const WIDE_QUERY = '(min-width: 768px)';

function subscribeToWide(onChange: () => void): () => void {
  const query = window.matchMedia(WIDE_QUERY);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

/** Whether the viewport is wide enough for columns: the same breakpoint as the style sheets. */
export const useWide = (): boolean =>
  useSyncExternalStore(subscribeToWide, () => window.matchMedia(WIDE_QUERY).matches);
