import { expect, test } from 'vitest';
import { calendarAddress } from './calendar';

test('one game has its own calendar file, and several games share one', () => {
  expect(calendarAddress([1042])).toBe('/api/draws/1042/calendar.ics');
  expect(calendarAddress([1042, 1043, 1051])).toBe('/api/draws/1042/calendar.ics?also=1043,1051');
});
