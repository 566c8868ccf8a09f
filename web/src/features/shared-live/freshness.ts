/** Whether what is shown is live, and how to say so when it is not: words first, then a shape, then a colour. */
import { timeOfDay } from '@/shared/dates';

export type Freshness = { kind: 'live' | 'late' | 'lost' | 'offline'; words: string };

export interface Heard {
  /** Milliseconds since the server was last heard; null before the first word. */
  agoMs: number | null;
  /** When that was, on the server's clock. */
  atMs: number;
  online: boolean;
}

const LIVE_MS_MAX = 20_000;
const LATE_MS_MAX = 60_000;

export function freshness({ agoMs, atMs, online }: Heard): Freshness {
  if (!online) return { kind: 'offline', words: 'Offline' };
  if (agoMs === null) return { kind: 'late', words: 'Connecting' };
  if (agoMs <= LIVE_MS_MAX) return { kind: 'live', words: 'Live' };
  if (agoMs <= LATE_MS_MAX)
    return { kind: 'late', words: `Updated ${Math.floor(agoMs / 10_000) * 10} s ago` };
  return { kind: 'lost', words: `Reconnecting – last update ${timeOfDay(atMs)}` };
}
