import { useAtomValue } from 'jotai';
import { useEffect, useState } from 'react';
import type { Health } from '@/api/wire-platform';
import { LATE_AGE_MS_MAX, LIVE_AGE_MS_MAX } from '@/features/shared-live/freshness';
import { liveConnectionAtom } from '@/features/shared-live/live-atoms';
import { useServerContact } from '@/features/shared-live/server-contact';
import { timeOfDay } from '@/shared/dates';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { useQuery } from '../queries/use-query';
import { useConsoleUrl } from './address';

const CONNECTION_ANNOUNCE_DELAY_MS = 5_000;
const SOCKET_LOST_AFTER_MS = 10_000;

export interface ConnectionState {
  kind: 'live' | 'warning' | 'late' | 'lost' | 'offline';
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

export interface SystemState {
  maintenance: boolean;
  socketLost: boolean;
  /** Number of failed health checks; 0 while they are not known. */
  warnings: number;
}

/**
 * Adds to the state of the connection what 'Live System' alone would hide: maintenance, a lost socket
 * and failed health checks. A worse connection is shown first.
 */
export function systemStateOf(
  connection: ConnectionState,
  { maintenance, socketLost, warnings }: SystemState,
): ConnectionState {
  if (connection.kind !== 'live') return connection;
  if (maintenance) return { kind: 'warning', text: `${O.liveSystem} · in maintenance` };
  if (socketLost) return { kind: 'warning', text: `${O.liveSystem} · updates each 30 s` };
  if (warnings > 0)
    return {
      kind: 'warning',
      text: `${O.liveSystem} · ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`,
    };
  return connection;
}

export const failedCheckCount = (health: Health | undefined): number =>
  health ? Object.values(health.checks).filter(({ ok }) => !ok).length : 0;

/** Whether the socket has been closed for a while. A console that just opened has none yet. */
function useIsSocketLost(): boolean {
  const { open } = useAtomValue(liveConnectionAtom);
  const [lost, setLost] = useState(false);
  useEffect(() => {
    if (open) {
      setLost(false);
      return;
    }
    const timer = setTimeout(() => setLost(true), SOCKET_LOST_AFTER_MS);
    return () => clearTimeout(timer);
  }, [open]);
  return lost;
}

/** The state of the whole system in the header of each section. Opens its details. */
export function LiveBadge() {
  const { agoMs, atMs, online } = useServerContact();
  const socketLost = useIsSocketLost();
  const maintenance = useQuery('maintenance').data?.maintenanceMode ?? false;
  const warnings = failedCheckCount(useQuery('health').data);
  const { go } = useConsoleUrl();
  const connection = connectionStateOf(agoMs, atMs, online);
  const { kind, text } = systemStateOf(connection, { maintenance, socketLost, warnings });
  const [announced, setAnnounced] = useState('');
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    if (text === settled) return;
    const timer = setTimeout(() => {
      setSettled(text);
      setAnnounced(kind === 'live' ? 'Live again' : text);
    }, CONNECTION_ANNOUNCE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [kind, settled, text]);
  return (
    <>
      <button
        type="button"
        className={`ops-live is-${kind}`}
        title="Show the system status"
        onClick={() => go(maintenance ? 'system' : 'overview')}
      >
        {text}
      </button>
      <span className="sr" role="status">
        {announced}
      </span>
    </>
  );
}
