import { useEffect, useRef } from 'react';
import { reloadPage } from '@/features/board/renewal';
import { useOffline } from '@/features/shared-live/server-contact';
import { isCopy } from '@/shared/offline';

/** A page that lies here from an earlier visit gives way to today's the moment the server is heard again. */
export function useCachedPageRefresh(): void {
  const offline = useOffline();
  const opened = useRef(window.location.pathname);
  useEffect(() => {
    // Who went on from it has since been told everything anew.
    if (isCopy() && !offline && window.location.pathname === opened.current) void reloadPage();
  }, [offline]);
}
