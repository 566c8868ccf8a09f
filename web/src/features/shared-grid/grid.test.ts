import { expect, test } from 'vitest';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { TALLY_SLOT_ORDER, cellOf, pairAt, slotAnimationDelayMs } from './grid';
import { soldCellsOf } from './result-grid';

test('the tally lights every slot once, always in the same order', () => {
  expect(new Set(TALLY_SLOT_ORDER).size).toBe(TICKETS_PER_DRAW);
  expect(TALLY_SLOT_ORDER.slice(0, 5)).toMatchInlineSnapshot(`
    [
      159,
      12,
      5,
      7,
      133,
    ]
  `);
});

test('each cell maps to one pair and back', () => {
  expect(pairAt(0)).toEqual({ home: 1, away: 1 });
  expect(pairAt(168)).toEqual({ home: 13, away: 13 });
  expect(Array.from({ length: TICKETS_PER_DRAW }, (_, cell) => cellOf(pairAt(cell)))).toEqual(
    Array.from({ length: TICKETS_PER_DRAW }, (_, cell) => cell),
  );
});

test('many sales in one message light one after another within 1.2 seconds', () => {
  expect([slotAnimationDelayMs(0, 3), slotAnimationDelayMs(2, 3)]).toEqual([0, 80]);
  expect(slotAnimationDelayMs(168, 169)).toBeLessThan(1_200);
});

test('sold cells are known only after the reveal', () => {
  const tickets = Array.from({ length: TICKETS_PER_DRAW }, (_, cell) => ({
    sold: cell < 2,
    homeNumber: pairAt(cell).home,
    awayNumber: pairAt(cell).away,
  }));
  expect(soldCellsOf(tickets)).toEqual(new Set([0, 1]));
  expect(soldCellsOf(tickets.map((ticket) => ({ ...ticket, homeNumber: null })))).toBeNull();
});
