import { expect, test } from 'vitest';
import { endAttempt } from '../state/purchase-attempt';
import { savedReservedTicketCount, saveReservation } from './reserved-tickets';

test('the purchase of a draw holds its tickets until the reservation expires', () => {
  saveReservation('draw:1042', { expiresAt: 1_000, ticketCount: 3 });
  expect([
    savedReservedTicketCount('draw:1042', 1042, 999),
    savedReservedTicketCount('draw:1042', 1042, 1_000),
    savedReservedTicketCount('draw:1043', 1043, 0),
  ]).toEqual([3, 0, 0]);
});

test('a cart holds tickets of each of its draws, and none once its outcome is known', () => {
  saveReservation('cart', {
    expiresAt: 1_000,
    ticketCount: 5,
    items: [
      { drawNumber: 1, quantity: 2 },
      { drawNumber: 2, quantity: 3 },
    ],
  });
  expect([1, 2, 3].map((draw) => savedReservedTicketCount('cart', draw, 0))).toEqual([2, 3, 0]);
  endAttempt('cart');
  expect(savedReservedTicketCount('cart', 1, 0)).toBe(0);
});

test('malformed stored data holds no tickets', () => {
  for (const said of [
    '{"expiresAt":9e15,"items":[]}',
    '{"expiresAt":9e15,"items":{}}',
    '{"ticketCount":3}',
    '"x"',
    '{',
  ]) {
    sessionStorage.setItem('fd_kept:cart', said);
    expect(savedReservedTicketCount('cart', 1, 0), said).toBe(0);
  }
});
