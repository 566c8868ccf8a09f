import { useEffect, useRef } from 'react';
import { renew } from '@/features/board/renewal';
import { useOffline } from '@/features/shared-live/heard';
import { isCopy } from '@/shared/offline';

/** Reloads a page from the service worker's cache as soon as the server responds again. */
export function useTodaysPage(): void {
  const offline = useOffline();
  const opened = useRef(window.location.pathname);
  useEffect(() => {
    // Pages opened after it have loaded fresh data.
    if (isCopy() && !offline && window.location.pathname === opened.current) void renew();
  }, [offline]);
}
