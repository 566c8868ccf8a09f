import { useAtomValue } from 'jotai';
import { useEffect, useState } from 'react';
import { connectionAtom, nowAtom } from './live-atoms';
import { freshness } from './freshness';

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

const ANNOUNCE_AFTER_MS = 5_000;

/** Text, dot and shape. Phones show it only when something is wrong; boards always. */
export function FreshnessBadge({ always = false }: { always?: boolean }) {
  const now = useAtomValue(nowAtom);
  const { heardAt } = useAtomValue(connectionAtom);
  const online = useOnline();
  const agoMs = heardAt === null ? null : performance.now() - heardAt;
  const { kind, words } = freshness({ agoMs, atMs: now - (agoMs ?? 0), online });
  const [announced, setAnnounced] = useState<string>(kind);
  useEffect(() => {
    const timer = setTimeout(() => setAnnounced(kind), ANNOUNCE_AFTER_MS);
    return () => clearTimeout(timer);
  }, [kind]);
  const spoken = { live: 'Live again', late: '', lost: 'Reconnecting', offline: 'Offline' }[announced] ?? '';
  const hidden = !always && (kind === 'live' || agoMs === null);
  return (
    <>
      {hidden ? null : <span className={`freshness is-${kind}`}>{kind === 'live' && always ? 'Live · updated just now' : words}</span>}
      <span className="sr" role="status">{announced === 'live' ? '' : spoken}</span>
    </>
  );
}
