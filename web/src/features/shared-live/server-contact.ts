import { useAtomValue } from 'jotai';
import { useEffect, useState } from 'react';
import type { ServerContact } from './freshness';
import { connectionAtom, nowAtom } from './live-atoms';

function useOnline(): boolean {
  const [online, setOnline] = useState(() => navigator.onLine);
  useEffect(() => {
    const changed = () => setOnline(navigator.onLine);
    window.addEventListener('online', changed);
    window.addEventListener('offline', changed);
    return () => {
      window.removeEventListener('online', changed);
      window.removeEventListener('offline', changed);
    };
  }, []);
  return online;
}

/**
 * Whether buying is impossible for lack of a connection. Either the browser reports that it is
 * offline, or the page comes from a cache and the server has not answered since it opened.
 */
export function useOffline(): boolean {
  const { heardAt } = useAtomValue(connectionAtom);
  const online = useOnline();
  return !online || (heardAt !== null && heardAt < 0);
}

/** Returns when the server last answered and whether the browser reports a connection. */
export function useHeard(): ServerContact {
  const now = useAtomValue(nowAtom);
  const { heardAt } = useAtomValue(connectionAtom);
  const online = useOnline();
  const agoMs = heardAt === null ? null : performance.now() - heardAt;
  return { agoMs, atMs: now - (agoMs ?? 0), online };
}
