import { expect, test } from 'vitest';
import { calendarUrl } from './calendar';

test('one game has its own calendar file, and several games share one', () => {
  expect(calendarUrl([1042])).toBe('/api/draws/1042/calendar.ics');
  expect(calendarUrl([1042, 1043, 1051])).toBe('/api/draws/1042/calendar.ics?also=1043,1051');
});
