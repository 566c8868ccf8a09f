import { useEffect, useRef } from 'react';
import { reloadPage } from '@/features/board/nightly-reload';
import { useIsOffline } from '@/features/shared-live/server-contact';
import { isCachedCopy } from '@/shared/offline';

/** Reloads a page shown from the service worker's cache as soon as the server responds again. */
export function useReloadCachedPageWhenOnline(): void {
  const offline = useIsOffline();
  const opened = useRef(window.location.pathname);
  useEffect(() => {
    // Reloads only while the first page is shown, because pages opened later have loaded fresh
    // data.
    if (isCachedCopy() && !offline && window.location.pathname === opened.current)
      void reloadPage();
  }, [offline]);
}
