import { expect, test } from 'vitest';
import { dayText, dayAndTime, isSameDay, timeOfDay } from './dates';

const kickOff = '2026-11-20T09:10:00Z';

test('date is in Brisbane time if no zone is given', () => {
  expect(dayText(kickOff)).toBe('Fri 20 Nov 2026');
  expect(timeOfDay(kickOff)).toBe('7:10\u00a0pm');
  expect(dayAndTime(kickOff)).toBe('Fri 20 Nov 2026, 7:10\u00a0pm AEST');
});

test('draw’s zone decides the time, whatever the device’s zone', () => {
  expect(dayAndTime(kickOff, 'Australia/Sydney')).toBe('Fri 20 Nov 2026, 8:10\u00a0pm AEDT');
  expect(dayAndTime(kickOff, 'Nowhere/Never')).toMatch(/7:10\u00a0pm/);
  expect(dayAndTime('not a date')).toBe('');
});

test('same day is decided in the draw’s zone', () => {
  const [evening, morning] = [
    Date.parse('2026-11-20T13:00:00Z'),
    Date.parse('2026-11-20T15:00:00Z'),
  ];
  expect(isSameDay(evening, morning, 'Australia/Brisbane')).toBe(false);
  expect(isSameDay(evening, morning, 'UTC')).toBe(true);
});
