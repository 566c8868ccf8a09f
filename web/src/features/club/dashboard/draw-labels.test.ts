import { expect, test } from 'vitest';
import { makeDraw } from '@/testing/draw-data';
import { filteredAndSortedDraws } from './draw-table';
import { sortedDraws, prizeText, signedDollars } from './draw-labels';

test('a wide screen shows all draws in one table, sorted and filtered by a word', () => {
  const draws = [
    makeDraw({ drawNumber: 1, awayTeam: 'Tweed', ticketsSold: 9 }),
    makeDraw({ drawNumber: 2, awayTeam: 'Logan', ticketsSold: 80, league: 'Colts' }),
  ];
  const numbers = (
    word: string,
    key: 'game' | 'when' | 'sold' | 'sales' | 'prize',
    down: boolean,
  ) => filteredAndSortedDraws(draws, word, { key, down }).map((draw) => draw.drawNumber);
  expect([
    numbers('', 'game', false),
    numbers('', 'sold', false),
    numbers('', 'sales', true),
    numbers('colts', 'when', true),
    numbers('nothing', 'when', true),
  ]).toEqual([[2, 1], [1, 2], [2, 1], [2], []]);
});

test('lists are in order of urgency, and negative money has a minus sign', () => {
  const draws = [
    makeDraw({ drawNumber: 1, gameDate: '2026-11-21T00:00:00Z' }),
    makeDraw({ drawNumber: 2, gameDate: '2026-11-20T00:00:00Z' }),
  ];
  expect(sortedDraws(draws, 'active').map((draw) => draw.drawNumber)).toEqual([2, 1]);
  expect(sortedDraws(draws, 'completed').map((draw) => draw.drawNumber)).toEqual([1, 2]);
  expect([signedDollars('-0.05'), signedDollars('10.00'), signedDollars(undefined)]).toEqual([
    '−$0.05',
    '$10.00',
    '–',
  ]);
});

test('a cancelled draw has no prize and sorts behind all that have one', () => {
  const draws = [
    makeDraw({ drawNumber: 1, currentPrize: '10.00' }),
    makeDraw({ drawNumber: 2, status: 'cancelled', currentPrize: '290.00' }),
  ];
  expect(draws.map(prizeText)).toEqual(['$10.00', '–']);
  expect(
    filteredAndSortedDraws(draws, '', { key: 'prize', down: true }).map((draw) => draw.drawNumber),
  ).toEqual([1, 2]);
});
