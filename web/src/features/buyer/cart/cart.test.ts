import { expect, test } from 'vitest';
import { makeDraw } from '@/testing/draw-data';
import {
  EMPTY_CART,
  addItem,
  cartBadgeText,
  deriveClubIdFromDrawId,
  fitsInCart,
  cartItemOf,
  maxQuantityOf,
  refreshCartFromDraws,
  removeItem,
  wouldReplaceOtherClubsCart,
  setQuantity,
  computeCartTotals,
} from './cart';
import type { CartItem } from './cart';
import { parseStoredCart } from './saved-cart';

const makeItem = (drawId: number, more: Partial<CartItem> = {}): CartItem => ({
  drawId,
  drawNumber: drawId,
  quantity: 2,
  drawTitle: 'Sharks v Tigers',
  ticketPrice: '5.00',
  passStripeFees: true,
  clubId: 1,
  clubName: 'Sharks',
  clubSlug: 'sharks',
  homeTeam: 'Sharks',
  awayTeam: 'Tigers',
  gameDate: '2026-11-20T09:10:00Z',
  availableTickets: 10,
  ...more,
});

test('an item of another club replaces the whole cart', () => {
  const cart = addItem(addItem(EMPTY_CART, makeItem(1001)), makeItem(1002));
  expect(wouldReplaceOtherClubsCart(cart, { clubId: 2 })).toBe(true);
  expect(addItem(cart, makeItem(2001, { clubId: 2 })).items.map((kept) => kept.drawId)).toEqual([
    2001,
  ]);
});

test('adding the same draw again updates its count and availability', () => {
  const cart = addItem(
    addItem(EMPTY_CART, makeItem(1001)),
    makeItem(1001, { quantity: 5, availableTickets: 7 }),
  );
  expect(cart.items).toEqual([makeItem(1001, { quantity: 5, availableTickets: 7 })]);
});

test('a count of zero or less removes the item, and removing the last one empties the cart', () => {
  const cart = addItem(addItem(EMPTY_CART, makeItem(1001)), makeItem(1002));
  expect(setQuantity(cart, 1001, 0).items.map((kept) => kept.drawId)).toEqual([1002]);
  expect(setQuantity(cart, 1001, 99).items[0]?.quantity).toBe(10);
  expect(removeItem(removeItem(cart, 1001), 1002)).toEqual(EMPTY_CART);
});

test('refresh takes prices, fees and availability from the server and drops an offer’s 9999', () => {
  const now = Date.parse('2026-11-20T00:00:00Z');
  const draw = (id: number, more: Parameters<typeof makeDraw>[0]) =>
    makeDraw({ id, drawNumber: id, ...more });
  const cart = [1001, 1002, 1003].reduce(
    (kept, id) => addItem(kept, makeItem(id, { quantity: 6, availableTickets: 9999 })),
    EMPTY_CART,
  );
  const next = refreshCartFromDraws(
    cart,
    [
      draw(1001, { ticketsAvailable: 4, ticketPrice: '7.00' }),
      draw(1002, { ticketsAvailable: 0 }),
      draw(1003, { gameDate: '2026-11-19T23:59:59Z' }),
    ],
    now,
  );
  expect(next.items).toEqual([
    cartItemOf(draw(1001, { ticketsAvailable: 4, ticketPrice: '7.00' }), 4),
  ]);
  expect(
    refreshCartFromDraws(cart, [draw(1001, { ticketsAvailable: 169 })], now).items[0]?.quantity,
  ).toBe(6);
  expect(setQuantity(cart, 1001, 9999).items[0]?.quantity).toBe(50);
});

test('each line has its own card fee where the buyer pays it', () => {
  const cart = addItem(
    addItem(EMPTY_CART, makeItem(1001)),
    makeItem(1002, { passStripeFees: false, quantity: 1 }),
  );
  expect(computeCartTotals(cart)).toEqual({ tickets: 3, subtotal: 1500, cardFee: 47, total: 1547 });
});

test('the fixed thirty cents are charged once when the fee applies to the whole charge', () => {
  const cart = addItem(
    addItem(addItem(EMPTY_CART, makeItem(1001)), makeItem(1002)),
    makeItem(1003, { passStripeFees: false }),
  );
  expect(computeCartTotals(cart, 'per_line')).toEqual({
    tickets: 6,
    subtotal: 3000,
    cardFee: 94,
    total: 3094,
  });
  expect(computeCartTotals(cart, 'per_charge')).toEqual({
    tickets: 6,
    subtotal: 3000,
    cardFee: 64,
    total: 3064,
  });
  expect(computeCartTotals(EMPTY_CART, 'per_charge')).toEqual({
    tickets: 0,
    subtotal: 0,
    cardFee: 0,
    total: 0,
  });
});

test('a line holds fifty tickets and a cart one hundred', () => {
  const roomy = { availableTickets: 169 };
  const cart = addItem(
    addItem(EMPTY_CART, makeItem(1001, { quantity: 45, ...roomy })),
    makeItem(1002, { quantity: 40, ...roomy }),
  );
  expect(cart.items.map((line) => maxQuantityOf(cart, line))).toEqual([50, 50]);
  expect(fitsInCart(cart, [makeItem(1003, { quantity: 15 })])).toBe(true);
  expect(fitsInCart(cart, [makeItem(1003, { quantity: 16 })])).toBe(false);
  expect(fitsInCart(cart, [makeItem(1002, { quantity: 50 })])).toBe(true);
  expect(fitsInCart(cart, [makeItem(1002, { quantity: 51 })])).toBe(false);
  expect(fitsInCart(cart, [makeItem(2001, { clubId: 2, quantity: 50 })])).toBe(true);
  const full = addItem(cart, makeItem(1003, { quantity: 19, ...roomy }));
  expect(full.items.map((line) => line.quantity)).toEqual([45, 40, 15]);
  expect(full.items.map((line) => maxQuantityOf(full, line))).toEqual([45, 40, 15]);
});

test('a saved cart of three times forty is reduced to one hundred tickets, and its badge says 99+', () => {
  const saved = parseStoredCart({
    items: [1001, 1002, 1003].map((drawId) =>
      makeItem(drawId, { quantity: 40, availableTickets: 169 }),
    ),
  });
  expect(saved.items.map((line) => line.quantity)).toEqual([40, 40, 20]);
  expect(cartBadgeText(computeCartTotals(saved).tickets)).toBe('99+');
});

test('a line keeps the time zone of its draw', () => {
  const kept = cartItemOf(makeDraw({ timezone: 'Australia/Sydney' }), 1);
  expect(parseStoredCart({ items: [kept] }).items[0]?.timezone).toBe('Australia/Sydney');
});

test('a saved line without a title is titled by its teams, and an empty time zone is omitted', () => {
  const [line] = parseStoredCart({
    items: [makeItem(1001, { drawTitle: '', timezone: '' })],
  }).items;
  expect(line).toEqual(makeItem(1001, { drawTitle: 'Sharks v Tigers' }));
});

test('a malformed saved cart is discarded, and an old one gets its club', () => {
  const old: Partial<CartItem> = makeItem(3001);
  delete old.clubId;
  expect(parseStoredCart({ items: [old] }).clubId).toBe(3);
  expect([
    deriveClubIdFromDrawId(1042),
    deriveClubIdFromDrawId('2999'),
    deriveClubIdFromDrawId('abc'),
  ]).toEqual([1, 2, 1]);
  expect(
    parseStoredCart(
      JSON.parse(JSON.stringify({ items: [makeItem(1001), makeItem(1002)], clubId: 1 })),
    ),
  ).toEqual({ items: [makeItem(1001), makeItem(1002)], clubId: 1 });
});

test.each<[string, unknown]>([
  ['nothing', null],
  ['a list', []],
  ['a word', 'x'],
  ['items that are no list', { items: 'x' }],
  ['an item without a name', { items: [{ drawId: 1001, quantity: 1, ticketPrice: '5.00' }] }],
  ['an empty team name', { items: [makeItem(1001, { homeTeam: '' })] }],
  ['an empty game date', { items: [makeItem(1001, { gameDate: '' })] }],
  ['a draw that is no number', { items: [makeItem(1001, { drawId: 'x' as unknown as number })] }],
  ['a half ticket', { items: [makeItem(1001, { quantity: 1.5 })] }],
  ['no ticket', { items: [makeItem(1001, { quantity: 0 })] }],
  ['fewer than none', { items: [makeItem(1001, { quantity: -1 })] }],
  ['a price that is none', { items: [makeItem(1001, { ticketPrice: '<b>' })] }],
  ['one good item and one broken', { items: [makeItem(1001), {}] }],
  ['two clubs', { items: [makeItem(1001), makeItem(2001, { clubId: 2 })] }],
  ['one draw twice', { items: [makeItem(1001), makeItem(1001)] }],
  [
    'a season of games',
    { items: Array.from({ length: 21 }, (_, index) => makeItem(1001 + index)) },
  ],
])('a saved cart that holds %s is nobody’s', (_what, stored) => {
  expect(parseStoredCart(stored)).toEqual(EMPTY_CART);
});

test('a forged count is reduced to the purchase limit', () => {
  expect(parseStoredCart({ items: [makeItem(1001, { quantity: 1e9 })] }).items[0]?.quantity).toBe(
    50,
  );
});

test('the badge stops at 99+', () => {
  expect([cartBadgeText(3), cartBadgeText(99), cartBadgeText(100)]).toEqual(['3', '99', '99+']);
});
