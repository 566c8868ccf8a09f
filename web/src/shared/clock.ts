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
  /** Whether the round trip was measured. That of a pushed frame is assumed. */
  measured: boolean;
  /** When the sample was taken (`performance.now()`). */
  takenAt: number;
}

export interface ServerClock {
  samples: readonly ClockSample[];
}

/** Maximum number of measured samples, and of frames' samples. */
const CLOCK_SAMPLES_MAX = 8;
const ROUND_TRIP_MS_MAX = 2_000;
/**
 * After this time, a frame is at least as exact as a measured sample: two clocks that differ by 50
 * ppm drift apart by 180 ms.
 */
const SAMPLE_AGE_MS_MAX = 3_600_000;

/**
 * Assumed round trip in milliseconds of a pushed frame, whose real one is unknown. A response with
 * a shorter round trip is preferred, and frames do not displace its sample.
 */
const ASSUMED_FRAME_ROUND_TRIP_MS = 400;

export const UNKNOWN_CLOCK: ServerClock = { samples: [] };

/**
 * Returns a sample for a request sent at `sentAt` whose response arrived at `receivedAt` (both
 * `performance.now()`).
 */
export function takeClockSample(serverMs: number, sentAt: number, receivedAt: number): ClockSample {
  const roundTripMs = Math.max(0, receivedAt - sentAt);
  return {
    offset: serverMs + roundTripMs / 2 - receivedAt,
    roundTripMs,
    measured: true,
    takenAt: receivedAt,
  };
}

/** Returns a sample for a pushed frame that arrived at `receivedAt` (`performance.now()`). */
export function takeFrameClockSample(serverMs: number, receivedAt: number): ClockSample {
  return {
    offset: serverMs + ASSUMED_FRAME_ROUND_TRIP_MS / 2 - receivedAt,
    roundTripMs: ASSUMED_FRAME_ROUND_TRIP_MS,
    measured: false,
    takenAt: receivedAt,
  };
}

/**
 * Adds a sample. Measured samples and frames' samples are limited separately, because frames arrive
 * more often and would displace every measured sample.
 */
export function addClockSample(clock: ServerClock, newSample: ClockSample): ServerClock {
  if (newSample.roundTripMs > ROUND_TRIP_MS_MAX || !Number.isFinite(newSample.offset)) return clock;
  const samples = clock.samples.filter((sample) => !isOutdated(sample, newSample));
  const sameKind = samples.filter((sample) => sample.measured === newSample.measured);
  const otherKind = samples.filter((sample) => sample.measured !== newSample.measured);
  return { samples: [...otherKind, ...[...sameKind, newSample].slice(-CLOCK_SAMPLES_MAX)] };
}

/**
 * Whether a frame replaces an older sample, because the sample is wrong or too old.
 * `performance.now()` can stop while the device sleeps, which makes the estimate slow. A frame never
 * arrives before it is sent, so a frame far ahead of the estimate proves that the estimate is slow.
 * A late frame proves nothing.
 */
function isOutdated(sample: ClockSample, newSample: ClockSample): boolean {
  if (newSample.measured) return false;
  const age = newSample.takenAt - sample.takenAt;
  return newSample.offset - sample.offset > ASSUMED_FRAME_ROUND_TRIP_MS || age > SAMPLE_AGE_MS_MAX;
}

/** Returns the server's time in ms since 1970. Without a sample, returns the device's time. */
export function serverNow(clock: ServerClock, performanceNow: number): number {
  const best = clock.samples.reduce<ClockSample | undefined>(
    (best, next) => (best && best.roundTripMs <= next.roundTripMs ? best : next),
    undefined,
  );
  return best ? performanceNow + best.offset : Date.now();
}
