/** The cart's rules (A:180-187). Pure; the browser's storage is somebody else's business. */
import type { Draw } from '@/api/wire';
import { cardFee, cents, type Cents } from '@/shared/money';

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

/** The most tickets of one draw in one purchase (A:300). */
export const PER_DRAW_MAX = 50;

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
  return { items: known ? mine.map((kept) => (kept.drawId === item.drawId ? item : kept)) : [...mine, item], clubId: item.clubId };
}

/** Whether adding would replace what another club's supporter has gathered. */
export const replaces = (cart: Cart, item: Pick<CartItem, 'clubId'>): boolean => cart.items.length > 0 && cart.clubId !== item.clubId;

/** The most of an item that may be wanted. */
export const most = (item: Pick<CartItem, 'availableTickets'>): number => Math.min(item.availableTickets, PER_DRAW_MAX);

/** A count of zero or less removes the item. */
export function setQuantity(cart: Cart, drawId: number, quantity: number): Cart {
  const item = cart.items.find((kept) => kept.drawId === drawId);
  const wanted = item ? Math.min(Math.floor(quantity) || 0, most(item)) : 0;
  if (wanted <= 0) return remove(cart, drawId);
  return { ...cart, items: cart.items.map((kept) => (kept.drawId === drawId ? { ...kept, quantity: wanted } : kept)) };
}

export function remove(cart: Cart, drawId: number): Cart {
  const items = cart.items.filter((item) => item.drawId !== drawId);
  return items.length === 0 ? EMPTY : { ...cart, items };
}

/** What the server says now counts: of prices, fees, names and what is left. An item nobody can have any more is taken out. */
export function refresh(cart: Cart, draws: readonly Draw[], nowMs: number): Cart {
  return draws.reduce((kept, draw) => {
    const sellable = (draw.status === 'active' || draw.status === 'open') && Date.parse(draw.gameDate) > nowMs;
    const left = sellable ? Math.max(0, draw.ticketsAvailable) : 0;
    const items = kept.items.map((item) => (item.drawId === draw.id ? { ...item, ...itemOf(draw, item.quantity), availableTickets: left } : item));
    const wanted = items.find((item) => item.drawId === draw.id)?.quantity ?? 0;
    return wanted > 0 ? setQuantity({ ...kept, items }, draw.id, Math.min(wanted, left)) : kept;
  }, cart);
}

/** So many tickets of a draw as a cart item. */
export function itemOf(draw: Draw, quantity: number): CartItem {
  const { id, drawNumber, homeTeam, awayTeam, ticketPrice, passStripeFees, clubId, clubName, clubSlug, gameDate, ticketsAvailable } = draw;
  return { drawId: id, drawNumber, quantity, drawTitle: `${homeTeam} v ${awayTeam}`, ticketPrice, passStripeFees, clubId, clubName, clubSlug, homeTeam, awayTeam, gameDate, availableTickets: ticketsAvailable };
}

export interface Totals {
  tickets: number;
  subtotal: Cents;
  /** 1.7 % + $0.30 per line that passes its fee on (A:298, D-6). */
  cardFee: Cents;
  total: Cents;
}

export function totals(cart: Cart): Totals {
  const lines = cart.items.map((item) => {
    const subtotal = cents(item.ticketPrice) * item.quantity;
    return { tickets: item.quantity, subtotal, cardFee: item.passStripeFees ? cardFee(subtotal) : 0 };
  });
  const sum = (of: (line: (typeof lines)[number]) => number) => lines.reduce((all, line) => all + of(line), 0);
  const [subtotal, fee] = [sum((line) => line.subtotal), sum((line) => line.cardFee)];
  return { tickets: sum((line) => line.tickets), subtotal, cardFee: fee, total: subtotal + fee };
}

/** '99+' above 99. */
export const badge = (tickets: number): string => (tickets > 99 ? '99+' : String(tickets));
