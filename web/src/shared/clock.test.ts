import { expect, test } from 'vitest';
import {
  UNKNOWN_CLOCK,
  addClockSample,
  serverNow,
  takeClockSample,
  takeFrameClockSample,
  type ServerClock,
} from './clock';

const HOUR_MS = 3_600_000;

/** Adds eight frames, each of which arrives 1 second after the previous one. */
function addEightFrames(clock: ServerClock, serverMs: number, receivedAt: number): ServerClock {
  for (let second = 0; second < 8_000; second += 1_000)
    clock = addClockSample(clock, takeFrameClockSample(serverMs + second, receivedAt + second));
  return clock;
}

test('server time is assumed at half of the round trip', () => {
  const clock = addClockSample(UNKNOWN_CLOCK, takeClockSample(1_000_000, 100, 300));
  expect(serverNow(clock, 300)).toBe(1_000_100);
  expect(serverNow(clock, 1_300)).toBe(1_001_100);
});

test('fastest of the last eight responses sets the clock', () => {
  let clock = addClockSample(UNKNOWN_CLOCK, takeClockSample(1_000_000, 0, 20));
  clock = addClockSample(clock, takeClockSample(5_000_000, 0, 900));
  expect(serverNow(clock, 20)).toBe(1_000_010);
  expect(addClockSample(clock, takeClockSample(9_000_000, 0, 2_001))).toBe(clock);
  for (let slow = 0; slow < 8; slow++)
    clock = addClockSample(clock, takeClockSample(2_000_000, 0, 500));
  expect(serverNow(clock, 500)).toBe(2_000_250);
});

test('wrong device clock does not change the server time', () => {
  const clock = addClockSample(UNKNOWN_CLOCK, takeClockSample(Date.UTC(2026, 10, 20), 0, 40));
  expect(
    Math.abs(serverNow(clock, 10_040) - (Date.UTC(2026, 10, 20) + 10_020)),
  ).toBeLessThanOrEqual(250);
});

test('eight frames do not displace a measured response', () => {
  const measured = addClockSample(UNKNOWN_CLOCK, takeClockSample(1_000_000, 0, 20));
  // The frames take 150 ms, not the assumed 200 ms, so their estimate is wrong by 50 ms.
  const clock = addEightFrames(measured, 1_000_860, 1_020);
  expect(serverNow(clock, 9_020)).toBe(1_009_010);
});

test('late frame does not change the clock', () => {
  const measured = addClockSample(UNKNOWN_CLOCK, takeClockSample(1_000_000, 0, 20));
  const clock = addClockSample(measured, takeFrameClockSample(1_000_000, 9_020));
  expect(serverNow(clock, 9_020)).toBe(1_009_010);
});

test('frame after the device slept replaces the response measured before', () => {
  const measured = addClockSample(UNKNOWN_CLOCK, takeClockSample(1_000_000, 0, 20));
  const clock = addClockSample(measured, takeFrameClockSample(1_600_000, 1_000));
  expect(serverNow(clock, 1_000)).toBe(1_600_200);
});

test('frame replaces a response measured more than an hour ago', () => {
  const measured = addClockSample(UNKNOWN_CLOCK, takeClockSample(1_000_000, 0, 20));
  const frame = takeFrameClockSample(1_000_000 + HOUR_MS, HOUR_MS + 21);
  expect(serverNow(addClockSample(measured, frame), HOUR_MS + 21)).toBe(1_000_200 + HOUR_MS);
});
