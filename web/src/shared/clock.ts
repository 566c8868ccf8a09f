/** The server's clock, estimated: device clocks in club rooms are minutes wrong, and kick-off is the server's to call. */

/** One reading: what must be added to `performance.now()`, and how long the answer took to come. */
export interface Sample {
  offset: number;
  roundTripMs: number;
}

export interface ServerClock {
  samples: readonly Sample[];
}

const SAMPLES_KEPT = 8;
const ROUND_TRIP_MS_MAX = 2_000;

/** A pushed frame does not say how long it travelled; it counts as this slow, so any quick answer beats it. */
export const PUSHED_ROUND_TRIP_MS = 400;

export const UNKNOWN_CLOCK: ServerClock = { samples: [] };

/** A sample from a request sent at `sentAt` and answered at `receivedAt` (both `performance.now()`). */
export function takeSample(serverMs: number, sentAt: number, receivedAt: number): Sample {
  const roundTripMs = Math.max(0, receivedAt - sentAt);
  return { offset: serverMs + roundTripMs / 2 - receivedAt, roundTripMs };
}

export function addSample(clock: ServerClock, newSample: Sample): ServerClock {
  if (newSample.roundTripMs > ROUND_TRIP_MS_MAX || !Number.isFinite(newSample.offset)) return clock;
  return { samples: [...clock.samples, newSample].slice(-SAMPLES_KEPT) };
}

/** The server's time in ms since 1970. Without any sample the device's own clock has to do. */
export function serverNow(clock: ServerClock, performanceNow: number): number {
  const best = clock.samples.reduce<Sample | undefined>(
    (best, next) => (best && best.roundTripMs <= next.roundTripMs ? best : next),
    undefined,
  );
  return best ? performanceNow + best.offset : Date.now();
}
