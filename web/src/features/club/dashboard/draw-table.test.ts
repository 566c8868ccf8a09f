import { expect, test } from 'vitest';
import { makeDraw } from '@/testing/draw-data';
import { drawTotalsOf } from './draw-table';

test('the totals add up the shown draws, without those that were cancelled', () => {
  const one = makeDraw({ ticketsSold: 100, ticketPrice: '5.00', currentPrize: '250.00' });
  const other = makeDraw({ ticketsSold: 31, ticketPrice: '2.00', currentPrize: '24.80' });
  const cancelled = makeDraw({ status: 'cancelled', ticketsSold: 7 });
  expect(drawTotalsOf([one, other, cancelled])).toEqual({
    sold: 131,
    salesCents: 56_200,
    prizeCents: 27_480,
  });
  expect(drawTotalsOf([])).toEqual({ sold: 0, salesCents: 0, prizeCents: 0 });
});
