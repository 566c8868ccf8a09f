/**
 * Estimates the server's clock. Device clocks can be minutes wrong, and the server's clock decides
 * when a draw closes.
 */

/**
 * One reading of the server's clock: the offset to add to `performance.now()`, and the round trip,
 * both in milliseconds.
 */
export interface ClockSample {
  offset: number;
  roundTripMs: number;
}

export interface ServerClock {
  samples: readonly ClockSample[];
}

const CLOCK_SAMPLES_MAX = 8;
const ROUND_TRIP_MS_MAX = 2_000;

/**
 * Assumed round trip in milliseconds of a pushed frame, whose real one is unknown. A response with
 * a shorter round trip is preferred, while its sample is kept.
 */
export const ASSUMED_FRAME_ROUND_TRIP_MS = 400;

export const UNKNOWN_CLOCK: ServerClock = { samples: [] };

/**
 * Returns a sample for a request sent at `sentAt` whose response arrived at `receivedAt` (both
 * `performance.now()`).
 */
export function takeClockSample(serverMs: number, sentAt: number, receivedAt: number): ClockSample {
  const roundTripMs = Math.max(0, receivedAt - sentAt);
  return { offset: serverMs + roundTripMs / 2 - receivedAt, roundTripMs };
}

export function addClockSample(clock: ServerClock, newSample: ClockSample): ServerClock {
  if (newSample.roundTripMs > ROUND_TRIP_MS_MAX || !Number.isFinite(newSample.offset)) return clock;
  return { samples: [...clock.samples, newSample].slice(-CLOCK_SAMPLES_MAX) };
}

/** Returns the server's time in ms since 1970. Without a sample, returns the device's time. */
export function serverNow(clock: ServerClock, performanceNow: number): number {
  const best = clock.samples.reduce<ClockSample | undefined>(
    (best, next) => (best && best.roundTripMs <= next.roundTripMs ? best : next),
    undefined,
  );
  return best ? performanceNow + best.offset : Date.now();
}
