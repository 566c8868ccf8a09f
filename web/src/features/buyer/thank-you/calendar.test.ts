import { expect, test } from 'vitest';
import { calendarFile } from './calendar';

test('a calendar file names the game, its time and a stable event', () => {
  const file = calendarFile([{ drawNumber: 1042, name: 'Sharks, v Tigers', at: '2026-11-20T09:10:00Z' }], 'https://x.example', new Date('2026-11-01T00:00:00Z'));
  expect(file.split('\r\n')).toEqual([
    'BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Football Doubles//EN', 'METHOD:PUBLISH', 'BEGIN:VEVENT', 'UID:draw-1042@football-doubles',
    'DTSTAMP:20261101T000000Z', 'DTSTART:20261120T091000Z', 'DTEND:20261120T111000Z', 'SUMMARY:Sharks\\, v Tigers', 'DESCRIPTION:Football Doubles draw 1042',
    'URL:https://x.example/draw/1042', 'END:VEVENT', 'END:VCALENDAR', '',
  ]);
});
