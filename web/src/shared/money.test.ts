import { expect, test } from 'vitest';
import {
  cardFeeOf,
  landingCardPrizeOf,
  decimalToCents,
  formatDollars,
  priceOf,
  prizeOf,
  formatWholeDollars,
} from './money';

test('decimal strings are read exactly and invalid prices are zero', () => {
  expect(['5.00', '5', '5.5', '0.50', '1234.05'].map(decimalToCents)).toEqual([
    500, 500, 550, 50, 123405,
  ]);
  expect(['', 'free', '-1.00', '1.234', undefined, null].map(decimalToCents)).toEqual([
    0, 0, 0, 0, 0, 0,
  ]);
});

test('amounts are formatted for buyers and for boards', () => {
  expect([0, 5, 1047, 123456789].map(formatDollars)).toEqual([
    '$0.00',
    '$0.05',
    '$10.47',
    '$1,234,567.89',
  ]);
  expect([0, 28250, 43000].map(formatWholeDollars)).toEqual(['$0', '$282', '$430']);
  expect([28250, 43000].map(formatDollars)).toEqual(['$282.50', '$430.00']);
});

test('card fee is 1.7 % rounded half up plus 30 cents', () => {
  expect([1000, 500, 50, 2500].map(cardFeeOf)).toEqual([47, 39, 31, 73]);
});

test('buyer pays the fee only if the draw passes it on', () => {
  expect(priceOf(500, 2, true)).toEqual({ subtotal: 1000, cardFee: 47, total: 1047 });
  expect(priceOf(500, 2, false)).toEqual({ subtotal: 1000, cardFee: 0, total: 1000 });
});

test('prize rounds up to ten dollars and an exact multiple stays', () => {
  expect(prizeOf(113, 500, 50, true)).toBe(29000);
  expect(prizeOf(113, 500, 50, false)).toBe(28250);
  expect(prizeOf(0, 500, 50, true)).toBe(0);
  expect(prizeOf(4, 500, 50, true)).toBe(1000);
});

test('landing card rounds the prize up only from five dollars', () => {
  expect(landingCardPrizeOf(1, 500, 50, true)).toBe(250);
  expect(landingCardPrizeOf(2, 500, 50, true)).toBe(1000);
});
