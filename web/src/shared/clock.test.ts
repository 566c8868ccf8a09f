import { expect, test } from 'vitest';
import { UNKNOWN_CLOCK, addClockSample, takeClockSample, serverNow } from './clock';

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
