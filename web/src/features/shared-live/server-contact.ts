import { useAtomValue } from 'jotai';
import { useEffect, useState } from 'react';
import type { ServerContact } from './freshness';
import { liveConnectionAtom, nowAtom } from './live-atoms';

function useIsBrowserOnline(): boolean {
  const [online, setOnline] = useState(() => navigator.onLine);
  useEffect(() => {
    const update = () => setOnline(navigator.onLine);
    window.addEventListener('online', update);
    window.addEventListener('offline', update);
    return () => {
      window.removeEventListener('online', update);
      window.removeEventListener('offline', update);
    };
  }, []);
  return online;
}

/**
 * Whether buying is impossible for lack of a connection. Either the browser reports that it is
 * offline, or the page comes from a cache and the server has not responded since the page opened.
 */
export function useIsOffline(): boolean {
  const { lastContactAt } = useAtomValue(liveConnectionAtom);
  const online = useIsBrowserOnline();
  return !online || (lastContactAt !== null && lastContactAt < 0);
}

/** Returns when the server last responded and whether the browser reports a connection. */
export function useServerContact(): ServerContact {
  const now = useAtomValue(nowAtom);
  const { lastContactAt } = useAtomValue(liveConnectionAtom);
  const online = useIsBrowserOnline();
  const agoMs = lastContactAt === null ? null : performance.now() - lastContactAt;
  return { agoMs, atMs: now - (agoMs ?? 0), online };
}
