import { expect, test } from 'vitest';
import type { DrawSales } from '@/api/wire-club';
import { salesRowsOf, salesSeriesOf, salesSummaryOf, soldLastDay } from './sales-series';

const points = (...pairs: [number, number][]) =>
  pairs.map(([minutesBeforeKickOff, sold]) => ({ minutesBeforeKickOff, sold }));
const curve = (drawNumber: number, ...pairs: [number, number][]) => ({
  drawNumber,
  homeTeam: 'Sharks',
  awayTeam: 'Logan',
  points: points(...pairs),
});
const SALES: DrawSales = {
  this: curve(1002, [2880, 10], [600, 30]),
  last: curve(1001, [4320, 5], [1440, 40], [10, 90]),
};

test('both curves are read at the same times, and the future is empty', () => {
  expect(salesSeriesOf(SALES, 500)).toEqual({
    at: [-4320, -2880, -1440, -600, -500, -10, 0],
    sold: [0, 10, 10, 30, 30, null, null],
    lastSold: [5, 5, 40, 40, 40, 90, 90],
  });
  expect(salesSeriesOf(SALES, -30).sold.at(-1), 'after kick-off the line reaches it').toBe(30);
  expect(salesSeriesOf({ ...SALES, last: null }, 500).lastSold).toEqual(
    Array.from({ length: 4 }, () => null),
  );
});

test('the sentence compares with the last game at the same time', () => {
  expect(salesSummaryOf(SALES, 500)).toBe(
    '30 tickets sold, 10 fewer than the last game at this time (Sharks v Logan).',
  );
  expect(salesSummaryOf(SALES, 2000)).toBe(
    '10 tickets sold, 5 more than the last game at this time (Sharks v Logan).',
  );
  expect(salesSummaryOf(SALES, -5)).toBe(
    '30 tickets sold, 60 fewer than the last game at kick-off (Sharks v Logan).',
  );
  expect(salesSummaryOf({ ...SALES, last: null }, 500)).toBe(
    '30 tickets sold. This is the first game, so there is nothing to compare.',
  );
});

test('the table starts one row before the first sale and says what has not come', () => {
  expect(salesRowsOf(SALES, 500)).toEqual([
    { text: '7 days before', sold: 0, lastSold: 0 },
    { text: '3 days before', sold: 0, lastSold: 5 },
    { text: '1 day before', sold: 10, lastSold: 40 },
    { text: '6 hours before', sold: null, lastSold: 40 },
    { text: '1 hour before', sold: null, lastSold: 40 },
    { text: 'Kick-off', sold: null, lastSold: 90 },
  ]);
  expect(salesRowsOf({ this: curve(1), last: null }, 500)).toEqual([]);
});

test('the last day’s tickets are those after the same time yesterday', () => {
  expect(soldLastDay(SALES, 600)).toBe(20);
  expect(soldLastDay(SALES, -1)).toBeNull();
});
