/** The cart's rules (A:180-187). Pure; the browser's storage is somebody else's business. */
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
  /** The draw's own zone, when it has one; an item saved long ago does not say (E-10). */
  timezone?: string;
  /** Items from an offer say 9999 until the server has been asked (C-14). */
  availableTickets: number;
  /** The offer it came from, if it did. */
  bundleId?: number;
}

export interface Cart {
  items: readonly CartItem[];
  clubId: number | null;
}

/** Names the cart's purchase among the others under way. */
export const CART_SCOPE = 'cart';

export const EMPTY: Cart = { items: [], clubId: null };

/** The most tickets of one purchase, over all its draws (A:300, C-2, C-13). */
export const PER_PURCHASE_MAX = 50;

/** Only for an item saved long ago without its club (decision A-2). */
export function clubIdOf(drawId: number | string): number {
  const number = Number(drawId);
  return Number.isFinite(number) && String(drawId).trim() !== '' ? Math.floor(number / 1000) : 1;
}

/** Adds an item. Another club's item replaces the whole cart; the same draw's updates its count and what is available. */
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

/** Whether adding would replace what another club's supporter has gathered. */
export const replaces = (cart: Cart, item: Pick<CartItem, 'clubId'>): boolean =>
  cart.items.length > 0 && cart.clubId !== item.clubId;

const ticketsIn = (items: readonly CartItem[]): number =>
  items.reduce((sum, item) => sum + item.quantity, 0);

/** How many more tickets of a draw fit beside the cart's other lines: one purchase holds fifty, whatever their draws (C-2). */
export const room = (cart: Cart, drawId: number): number =>
  Math.max(0, PER_PURCHASE_MAX - ticketsIn(cart.items.filter((item) => item.drawId !== drawId)));

/** The most of an item that may be wanted. */
export const most = (cart: Cart, item: Pick<CartItem, 'drawId' | 'availableTickets'>): number =>
  Math.min(item.availableTickets, room(cart, item.drawId));

/** Whether these go into one purchase whole, with what stays beside them. */
export function fits(cart: Cart, items: readonly CartItem[]): boolean {
  const first = items[0];
  const beside =
    first && replaces(cart, first)
      ? []
      : cart.items.filter((kept) => items.every((item) => item.drawId !== kept.drawId));
  return ticketsIn(beside) + ticketsIn(items) <= PER_PURCHASE_MAX;
}

/** Takes from the last lines what is more than one purchase may hold. */
export function fitted(cart: Cart): Cart {
  let left = PER_PURCHASE_MAX;
  const items = cart.items.flatMap((item) => {
    const quantity = Math.min(item.quantity, left);
    left -= quantity;
    return quantity > 0 ? [quantity === item.quantity ? item : { ...item, quantity }] : [];
  });
  return { ...cart, items };
}

/** A count of zero or less removes the item. */
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

/** What the server says now counts: of prices, fees, names and what is left. An item nobody can have any more is taken out. */
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

/** So many tickets of a draw as a cart item. */
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
  /** 1.7 % + $0.30 of what passes its fee on: per line, or once for the whole charge (A:298, D-6). */
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

/** '99+' above 99. */
export const badge = (tickets: number): string => (tickets > 99 ? S.cartBadgeMax : String(tickets));
