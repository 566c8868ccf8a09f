import { expect, test } from 'vitest';
import {
  clockTimeLeftText,
  landingCardUrgencyBand,
  pageUrgencyBand,
  timeLeftText,
} from './countdown';
import { freshnessOf } from './freshness';
import { drawPhaseOf, soldShareText } from './draw-phase';
import { makeDraw } from '@/testing/draw-data';

const HOUR_MS = 3_600_000;
// It is 10 am in Brisbane: 13 hours later is the same day there, 15 hours later is the next day.
const now = Date.parse('2026-11-20T00:00:00Z');

test('card bands: red under 1 hour, orange under 6, yellow on the same day, green after', () => {
  const band = (hours: number) =>
    landingCardUrgencyBand(now, now + hours * HOUR_MS, 'Australia/Brisbane');
  expect([0.99, 1, 5.99, 6, 13, 15, 48].map(band)).toEqual([
    'red',
    'orange',
    'orange',
    'yellow',
    'yellow',
    'green',
    'green',
  ]);
});

test('page bands: green above 24 hours, yellow within 24, orange within 6, red within 1', () => {
  expect(
    [24.01, 24, 6.01, 6, 1.01, 1, 0].map((hours) => pageUrgencyBand(now, now + hours * HOUR_MS)),
  ).toEqual(['green', 'yellow', 'yellow', 'orange', 'orange', 'red', 'red']);
});

test('time is shown in the two largest units, and by the second under an hour', () => {
  expect([76 * HOUR_MS, 2 * HOUR_MS + 14 * 60_000, 83_000, 500, -5].map(timeLeftText)).toEqual([
    '3d 4h',
    '2h 14m',
    '01:23',
    '00:01',
    '00:00',
  ]);
});

test('a board shows days only when there are any and stops at zero', () => {
  expect([2 * HOUR_MS + 14 * 60_000 + 9_000, 25 * HOUR_MS, -1].map(clockTimeLeftText)).toEqual([
    '02:14:09',
    '1d 01:00:00',
    '00:00:00',
  ]);
});

test('the freshness text says how old the data is', () => {
  const said = (agoMs: number | null, online = true) =>
    freshnessOf({ agoMs, atMs: Date.parse('2026-11-20T09:02:00Z'), online }).text;
  expect([said(0), said(20_000), said(42_000), said(61_000), said(5, false), said(null)]).toEqual([
    'Live',
    'Live',
    'Updated 40 s ago',
    'Reconnecting – last update 7:02\u00a0pm',
    'Offline',
    'Connecting',
  ]);
});

test('a draw past its kick-off is closed whatever its status says', () => {
  const phase = (more: Parameters<typeof makeDraw>[0], at = '2026-11-20T09:00:00Z') =>
    drawPhaseOf(makeDraw(more), Date.parse(at));
  expect([
    phase({}),
    phase({}, '2026-11-20T09:10:00Z'),
    phase({ ticketsAvailable: 0 }),
    phase({ status: 'completed' }),
    phase({ status: 'cancelled' }),
    phase({ status: 'awaiting_draw' }),
    phase({ status: 'open' }),
    phase({ status: 'other' }),
  ]).toEqual([
    'active',
    'closed',
    'soldOut',
    'completed',
    'cancelled',
    'closed',
    'active',
    'completed',
  ]);
  expect(soldShareText(113)).toBe('66.9%');
});
