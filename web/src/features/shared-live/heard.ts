import { useAtomValue } from 'jotai';
import { useEffect, useState } from 'react';
import type { Heard } from './freshness';
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
 * Whether nothing can be bought for want of a connection: the browser says so, or this page lies here from an earlier visit
 * and the server has not been heard since it was opened.
 */
export function useOffline(): boolean {
  const { heardAt } = useAtomValue(connectionAtom);
  const online = useOnline();
  return !online || (heardAt !== null && heardAt < 0);
}

/** When the server was last heard, and whether the browser believes to be connected. */
export function useHeard(): Heard {
  const now = useAtomValue(nowAtom);
  const { heardAt } = useAtomValue(connectionAtom);
  const online = useOnline();
  const agoMs = heardAt === null ? null : performance.now() - heardAt;
  return { agoMs, atMs: now - (agoMs ?? 0), online };
}
