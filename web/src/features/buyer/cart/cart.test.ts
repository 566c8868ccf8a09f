import { expect, test } from 'vitest';
import { EMPTY, add, badge, clubIdOf, readCart, refresh, remove, replaces, setQuantity, totals, type CartItem } from './cart';

const item = (drawId: number, more: Partial<CartItem> = {}): CartItem => ({
  drawId, drawNumber: drawId, quantity: 2, drawTitle: 'Sharks v Tigers', ticketPrice: '5.00', passStripeFees: true, clubId: 1, clubName: 'Sharks', clubSlug: 'sharks',
  homeTeam: 'Sharks', awayTeam: 'Tigers', gameDate: '2026-11-20T09:10:00Z', availableTickets: 10, ...more,
});

test('another club’s item replaces the whole cart', () => {
  const cart = add(add(EMPTY, item(1001)), item(1002));
  expect(replaces(cart, { clubId: 2 })).toBe(true);
  expect(add(cart, item(2001, { clubId: 2 })).items.map((kept) => kept.drawId)).toEqual([2001]);
});

test('the same draw again updates its count and what is available', () => {
  const cart = add(add(EMPTY, item(1001)), item(1001, { quantity: 5, availableTickets: 7 }));
  expect(cart.items).toEqual([item(1001, { quantity: 5, availableTickets: 7 })]);
});

test('a count of zero or less removes the item, and the last one empties the cart', () => {
  const cart = add(add(EMPTY, item(1001)), item(1002));
  expect(setQuantity(cart, 1001, 0).items.map((kept) => kept.drawId)).toEqual([1002]);
  expect(setQuantity(cart, 1001, 99).items[0]?.quantity).toBe(10);
  expect(remove(remove(cart, 1001), 1002)).toEqual(EMPTY);
});

test('what is available is the server’s to say', () => {
  const cart = refresh(add(add(EMPTY, item(1001, { quantity: 6, availableTickets: 9999 })), item(1002)), { 1001: 4, 1002: 0 });
  expect(cart.items).toEqual([item(1001, { quantity: 4, availableTickets: 4 })]);
});

test('each line pays its own card fee where it is passed on', () => {
  const cart = add(add(EMPTY, item(1001)), item(1002, { passStripeFees: false, quantity: 1 }));
  expect(totals(cart)).toEqual({ tickets: 3, subtotal: 1500, cardFee: 47, total: 1547 });
});

test('a saved cart with a bad shape is discarded, an old one finds its club', () => {
  expect([readCart(null), readCart([]), readCart({ items: 'x' }), readCart({ items: [{ drawId: 'x' }] })]).toEqual([EMPTY, EMPTY, EMPTY, EMPTY]);
  const old: Partial<CartItem> = item(3001);
  delete old.clubId;
  expect(readCart({ items: [old] }).clubId).toBe(3);
  expect([clubIdOf(1042), clubIdOf('2999'), clubIdOf('abc')]).toEqual([1, 2, 1]);
});

test('the badge stops at 99+', () => {
  expect([badge(3), badge(99), badge(100)]).toEqual(['3', '99', '99+']);
});
