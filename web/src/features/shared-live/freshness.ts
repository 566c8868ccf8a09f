/** Tells whether the data on the screen is live, and says it in words. */
import { timeOfDay } from '@/shared/dates';

export type Freshness = { kind: 'live' | 'late' | 'lost' | 'offline'; text: string };

export interface ServerContact {
  /** Milliseconds since the last message of the server. Null before the first one. */
  agoMs: number | null;
  /** Server time of the last message of the server, in milliseconds. */
  atMs: number;
  online: boolean;
}

export const LIVE_AGE_MS_MAX = 20_000;
export const LATE_AGE_MS_MAX = 60_000;

export function freshnessOf({ agoMs, atMs, online }: ServerContact): Freshness {
  if (!online) return { kind: 'offline', text: 'Offline' };
  if (agoMs === null) return { kind: 'late', text: 'Connecting' };
  if (agoMs <= LIVE_AGE_MS_MAX) return { kind: 'live', text: 'Live' };
  if (agoMs <= LATE_AGE_MS_MAX)
    return { kind: 'late', text: `Updated ${Math.floor(agoMs / 10_000) * 10} s ago` };
  return { kind: 'lost', text: `Reconnecting – last update ${timeOfDay(atMs)}` };
}
