/** The rules of the cart (specification lines A:180-187). Pure; another module handles storage. */
import type { Draw } from '@/api/wire';
import { cents, sumOf, type Cents, type SurchargeMode } from '@/shared/money';
import { S } from '@/shared/strings';

export interface CartItem {
  drawId: number;
  quantity: number;
  drawTitle: string;
  ticketPrice: string;
  passStripeFees: boolean;
  clubId: number;
  clubName: string;
  clubSlug: string;
  drawNumber: number;
  homeTeam: string;
  awayTeam: string;
  gameDate: string;
  /** The draw's time zone, if it has one. Items saved by old versions lack it (decision E-10). */
  timezone?: string;
  /**
   * The number of available tickets. Items from an offer hold 9999 until the server has been asked
   * (decision C-14).
   */
  availableTickets: number;
  /** The offer that the item came from, if any. */
  bundleId?: number;
}

export interface Cart {
  items: readonly CartItem[];
  clubId: number | null;
}

/** The scope of the cart's purchase, which tells it apart from other purchases. */
export const CART_SCOPE = 'cart';

export const EMPTY: Cart = { items: [], clubId: null };

/**
 * The maximum tickets of one line, which is one draw in one purchase (specification line A:300,
 * decision M-7).
 */
export const PER_LINE_MAX = 50;

/**
 * The maximum tickets of all lines together: a browser can reserve no more at a time (decision
 * M-7).
 */
export const PER_CART_MAX = 100;

/**
 * Derives the club's id from the draw's id. Used only for an item saved by an old version without
 * its club (decision A-2).
 */
export function clubIdOf(drawId: number | string): number {
  const number = Number(drawId);
  return Number.isFinite(number) && String(drawId).trim() !== '' ? Math.floor(number / 1000) : 1;
}

/**
 * Adds an item. An item of another club replaces the whole cart. An item of the same draw updates
 * its count and availability.
 */
export function add(cart: Cart, item: CartItem): Cart {
  if (item.quantity <= 0) return remove(cart, item.drawId);
  const mine = cart.clubId === null || cart.clubId === item.clubId ? cart.items : [];
  const known = mine.some((kept) => kept.drawId === item.drawId);
  return fitted({
    items: known
      ? mine.map((kept) => (kept.drawId === item.drawId ? item : kept))
      : [...mine, item],
    clubId: item.clubId,
  });
}

/** Whether adding the item would replace a cart of another club. */
export const replaces = (cart: Cart, item: Pick<CartItem, 'clubId'>): boolean =>
  cart.items.length > 0 && cart.clubId !== item.clubId;

const ticketsIn = (items: readonly CartItem[]): number =>
  items.reduce((sum, item) => sum + item.quantity, 0);

/** Returns how many tickets of a draw its line may hold, given the other lines (decision M-7). */
export const room = (cart: Cart, drawId: number): number =>
  Math.min(
    PER_LINE_MAX,
    Math.max(0, PER_CART_MAX - ticketsIn(cart.items.filter((item) => item.drawId !== drawId))),
  );

/** Returns the maximum count of an item. */
export const most = (cart: Cart, item: Pick<CartItem, 'drawId' | 'availableTickets'>): number =>
  Math.min(item.availableTickets, room(cart, item.drawId));

/** Whether all these items fit into one purchase, together with the items that stay. */
export function fits(cart: Cart, items: readonly CartItem[]): boolean {
  const first = items[0];
  const beside =
    first && replaces(cart, first)
      ? []
      : cart.items.filter((kept) => items.every((item) => item.drawId !== kept.drawId));
  return (
    items.every((item) => item.quantity <= PER_LINE_MAX) &&
    ticketsIn(beside) + ticketsIn(items) <= PER_CART_MAX
  );
}

/** Reduces each line to its limit, and then the last lines to the cart's limit. */
export function fitted(cart: Cart): Cart {
  let left = PER_CART_MAX;
  const items = cart.items.flatMap((item) => {
    const quantity = Math.min(item.quantity, PER_LINE_MAX, left);
    left -= quantity;
    return quantity > 0 ? [quantity === item.quantity ? item : { ...item, quantity }] : [];
  });
  return { ...cart, items };
}

/** Sets the count of an item. Zero or less removes it. */
export function setQuantity(cart: Cart, drawId: number, quantity: number): Cart {
  const item = cart.items.find((kept) => kept.drawId === drawId);
  const wanted = item ? Math.min(Math.floor(quantity) || 0, most(cart, item)) : 0;
  if (wanted <= 0) return remove(cart, drawId);
  return {
    ...cart,
    items: cart.items.map((kept) =>
      kept.drawId === drawId ? { ...kept, quantity: wanted } : kept,
    ),
  };
}

export function remove(cart: Cart, drawId: number): Cart {
  const items = cart.items.filter((item) => item.drawId !== drawId);
  return items.length === 0 ? EMPTY : { ...cart, items };
}

/**
 * Applies the server's current prices, fees, names and availability. Items that can no longer be
 * bought are removed.
 */
export function refresh(cart: Cart, draws: readonly Draw[], nowMs: number): Cart {
  return draws.reduce((kept, draw) => {
    const sellable =
      (draw.status === 'active' || draw.status === 'open') && Date.parse(draw.gameDate) > nowMs;
    const left = sellable ? Math.max(0, draw.ticketsAvailable) : 0;
    const items = kept.items.map((item) =>
      item.drawId === draw.id
        ? { ...item, ...itemOf(draw, item.quantity), availableTickets: left }
        : item,
    );
    const wanted = items.find((item) => item.drawId === draw.id)?.quantity ?? 0;
    return wanted > 0 ? setQuantity({ ...kept, items }, draw.id, Math.min(wanted, left)) : kept;
  }, cart);
}

/** Returns a cart item for a number of tickets of a draw. */
export function itemOf(draw: Draw, quantity: number): CartItem {
  const {
    id,
    drawNumber,
    homeTeam,
    awayTeam,
    ticketPrice,
    passStripeFees,
    clubId,
    clubName,
    clubSlug,
    gameDate,
    timezone,
    ticketsAvailable,
  } = draw;
  return {
    drawId: id,
    drawNumber,
    quantity,
    drawTitle: `${homeTeam} v ${awayTeam}`,
    ticketPrice,
    passStripeFees,
    clubId,
    clubName,
    clubSlug,
    homeTeam,
    awayTeam,
    gameDate,
    ...(timezone ? { timezone } : {}),
    availableTickets: ticketsAvailable,
  };
}

export interface Totals {
  tickets: number;
  subtotal: Cents;
  /**
   * The card fee, 1.7 % + $0.30, on lines whose buyer pays it: per line, or once for the whole
   * charge (specification line A:298, decision D-6).
   */
  cardFee: Cents;
  total: Cents;
}

export function totals(cart: Cart, mode: SurchargeMode = 'per_line'): Totals {
  const lines = cart.items.map((item) => ({
    subtotal: cents(item.ticketPrice) * item.quantity,
    passesFee: item.passStripeFees,
  }));
  return { tickets: ticketsIn(cart.items), ...sumOf(lines, mode) };
}

/** Returns '99+' above 99. */
export const badge = (tickets: number): string => (tickets > 99 ? S.cartBadgeMax : String(tickets));
