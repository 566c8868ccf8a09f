import { useEffect, useState } from 'react';
import { LATE_AGE_MS_MAX, LIVE_AGE_MS_MAX } from '@/features/shared-live/freshness';
import { useServerContact } from '@/features/shared-live/server-contact';
import { timeOfDay } from '@/shared/dates';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';

const CONNECTION_ANNOUNCE_DELAY_MS = 5_000;

export interface ConnectionState {
  kind: 'live' | 'late' | 'lost' | 'offline';
  text: string;
}

/** Returns whether the shown data is live, delayed (and by how much) or disconnected. */
export function connectionStateOf(
  agoMs: number | null,
  atMs: number,
  online: boolean,
): ConnectionState {
  if (!online) return { kind: 'offline', text: 'Offline' };
  if (agoMs === null) return { kind: 'late', text: 'Connecting' };
  if (agoMs <= LIVE_AGE_MS_MAX) return { kind: 'live', text: O.liveSystem };
  if (agoMs <= LATE_AGE_MS_MAX)
    return { kind: 'late', text: `Delayed ${Math.floor(agoMs / 10_000) * 10} s` };
  return { kind: 'lost', text: `Offline since ${timeOfDay(atMs)}` };
}

export function LiveBadge() {
  const { agoMs, atMs, online } = useServerContact();
  const { kind, text } = connectionStateOf(agoMs, atMs, online);
  const [announced, setAnnounced] = useState('');
  const [settled, setSettled] = useState(kind);
  useEffect(() => {
    if (kind === settled) return;
    const timer = setTimeout(() => {
      setSettled(kind);
      setAnnounced(kind === 'live' ? 'Live again' : text);
    }, CONNECTION_ANNOUNCE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [kind, settled, text]);
  return (
    <>
      <span className={`ops-live is-${kind}`}>{text}</span>
      <span className="sr" role="status">
        {announced}
      </span>
    </>
  );
}
