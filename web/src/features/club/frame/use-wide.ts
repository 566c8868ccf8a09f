import { useSyncExternalStore } from 'react';

const WIDE_VIEWPORT_MEDIA_QUERY = '(min-width: 768px)';

function subscribeToViewportWidth(onChange: () => void): () => void {
  const query = window.matchMedia(WIDE_VIEWPORT_MEDIA_QUERY);
  query.addEventListener('change', onChange);
  return () => query.removeEventListener('change', onChange);
}

/** Whether the viewport is wide enough for columns: the same breakpoint as the style sheets. */
export const useIsWideViewport = (): boolean =>
  useSyncExternalStore(
    subscribeToViewportWidth,
    () => window.matchMedia(WIDE_VIEWPORT_MEDIA_QUERY).matches,
  );
