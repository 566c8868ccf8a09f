/** The rules of the cart (specification lines A:180-187). Pure; another module handles storage. */
import type { Draw } from '@/api/wire';
import { decimalToCents, sumPrices, type Cents, type SurchargeMode } from '@/shared/money';
import { PUBLIC_TEXTS as S } from '@/shared/strings';

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
  /** The draw's time zone (decision E-10). Absent in items saved by old versions. */
  timezone?: string;
  /**
   * Number of available tickets. Items from an offer have 9999 until the server has sent the number
   * (decision C-14).
   */
  availableTickets: number;
  /** Id of the offer that the item came from, if any. */
  bundleId?: number;
}

export interface Cart {
  items: readonly CartItem[];
  clubId: number | null;
}

/** Scope of the cart's purchase. The browser stores the state of each purchase under its scope. */
export const CART_PURCHASE_SCOPE = 'cart';

export const EMPTY_CART: Cart = { items: [], clubId: null };

/**
 * Maximum tickets of one cart line, which is one draw in one purchase (specification line A:300,
 * decision M-7).
 */
export const TICKETS_PER_LINE_MAX = 50;

/**
 * Maximum tickets of all lines together, because a browser can reserve no more at a time (decision
 * M-7).
 */
export const TICKETS_PER_CART_MAX = 100;

/**
 * Derives the club's id from the draw's id. Used only for an item saved by an old version without
 * its club (decision A-2).
 */
export function deriveClubIdFromDrawId(drawId: number | string): number {
  const number = Number(drawId);
  return Number.isFinite(number) && String(drawId).trim() !== '' ? Math.floor(number / 1000) : 1;
}

/**
 * Adds an item. An item of another club replaces the whole cart. An item of the same draw replaces
 * the earlier item. A count of zero or less removes the item.
 */
export function addItem(cart: Cart, item: CartItem): Cart {
  if (item.quantity <= 0) return removeItem(cart, item.drawId);
  const clubItems = cart.clubId === null || cart.clubId === item.clubId ? cart.items : [];
  const alreadyInCart = clubItems.some((cartItem) => cartItem.drawId === item.drawId);
  return reduceToLimits({
    items: alreadyInCart
      ? clubItems.map((cartItem) => (cartItem.drawId === item.drawId ? item : cartItem))
      : [...clubItems, item],
    clubId: item.clubId,
  });
}

/** Whether adding the item would replace a cart of another club. */
export const wouldReplaceOtherClubsCart = (cart: Cart, item: Pick<CartItem, 'clubId'>): boolean =>
  cart.items.length > 0 && cart.clubId !== item.clubId;

const ticketCountOf = (items: readonly CartItem[]): number =>
  items.reduce((sum, item) => sum + item.quantity, 0);

/**
 * Returns how many tickets the cart may hold of a draw, given the tickets of its other draws
 * (decision M-7).
 */
export const maxTicketsOfDraw = (cart: Cart, drawId: number): number =>
  Math.min(
    TICKETS_PER_LINE_MAX,
    Math.max(
      0,
      TICKETS_PER_CART_MAX - ticketCountOf(cart.items.filter((item) => item.drawId !== drawId)),
    ),
  );

/** Returns the maximum count of an item. */
export const maxQuantityOf = (
  cart: Cart,
  item: Pick<CartItem, 'drawId' | 'availableTickets'>,
): number => Math.min(item.availableTickets, maxTicketsOfDraw(cart, item.drawId));

/** Whether these items fit into one purchase, together with the cart's items of other draws. */
export function fitsInCart(cart: Cart, items: readonly CartItem[]): boolean {
  const first = items[0];
  const beside =
    first && wouldReplaceOtherClubsCart(cart, first)
      ? []
      : cart.items.filter((cartItem) => items.every((item) => item.drawId !== cartItem.drawId));
  return (
    items.every((item) => item.quantity <= TICKETS_PER_LINE_MAX) &&
    ticketCountOf(beside) + ticketCountOf(items) <= TICKETS_PER_CART_MAX
  );
}

/**
 * Reduces each line to the limit per line, and then the last lines until the whole cart is within
 * the limit per cart.
 */
export function reduceToLimits(cart: Cart): Cart {
  let left = TICKETS_PER_CART_MAX;
  const items = cart.items.flatMap((item) => {
    const quantity = Math.min(item.quantity, TICKETS_PER_LINE_MAX, left);
    left -= quantity;
    return quantity > 0 ? [quantity === item.quantity ? item : { ...item, quantity }] : [];
  });
  return { ...cart, items };
}

/** Sets the count of an item. A count of zero or less removes the item. */
export function setQuantity(cart: Cart, drawId: number, quantity: number): Cart {
  const item = cart.items.find((cartItem) => cartItem.drawId === drawId);
  const wanted = item ? Math.min(Math.floor(quantity) || 0, maxQuantityOf(cart, item)) : 0;
  if (wanted <= 0) return removeItem(cart, drawId);
  return {
    ...cart,
    items: cart.items.map((cartItem) =>
      cartItem.drawId === drawId ? { ...cartItem, quantity: wanted } : cartItem,
    ),
  };
}

export function removeItem(cart: Cart, drawId: number): Cart {
  const items = cart.items.filter((item) => item.drawId !== drawId);
  return items.length === 0 ? EMPTY_CART : { ...cart, items };
}

/**
 * Applies the server's current prices, fees, names and availability. Items that can no longer be
 * bought are removed.
 */
export function refreshCartFromDraws(cart: Cart, draws: readonly Draw[], nowMs: number): Cart {
  return draws.reduce((cartItem, draw) => {
    const sellable =
      (draw.status === 'active' || draw.status === 'open') && Date.parse(draw.gameDate) > nowMs;
    const left = sellable ? Math.max(0, draw.ticketsAvailable) : 0;
    const items = cartItem.items.map((item) =>
      item.drawId === draw.id
        ? { ...item, ...cartItemOf(draw, item.quantity), availableTickets: left }
        : item,
    );
    const wanted = items.find((item) => item.drawId === draw.id)?.quantity ?? 0;
    return wanted > 0
      ? setQuantity({ ...cartItem, items }, draw.id, Math.min(wanted, left))
      : cartItem;
  }, cart);
}

/** Returns a cart item for a number of tickets of a draw. */
export function cartItemOf(draw: Draw, quantity: number): CartItem {
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

export interface CartTotals {
  tickets: number;
  subtotal: Cents;
  /**
   * Card fee in cents, 1.7 % + $0.30, on lines whose buyer pays it: per line, or once for the whole
   * charge (specification line A:298, decision D-6).
   */
  cardFee: Cents;
  total: Cents;
}

export function computeCartTotals(cart: Cart, mode: SurchargeMode = 'per_line'): CartTotals {
  const lines = cart.items.map((item) => ({
    subtotal: decimalToCents(item.ticketPrice) * item.quantity,
    passesFee: item.passStripeFees,
  }));
  return { tickets: ticketCountOf(cart.items), ...sumPrices(lines, mode) };
}

/** Returns the count on the cart's badge: '99+' above 99. */
export const cartBadgeText = (tickets: number): string =>
  tickets > 99 ? S.cartBadgeMax : String(tickets);
