/** The cart's rules (A:180-187). Pure; the browser's storage is somebody else's business. */
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
  availableTickets: number;
}

export interface Cart {
  items: readonly CartItem[];
  clubId: number | null;
}

export const EMPTY: Cart = { items: [], clubId: null };

/** Only for an item saved long ago without its club (decision A-2). */
export function clubIdOf(drawId: number | string): number {
  const number = Number(drawId);
  return Number.isFinite(number) && String(drawId).trim() !== '' ? Math.floor(number / 1000) : 1;
}

/** Adds an item. Another club's item replaces the whole cart; the same draw's updates its count and what is available. */
export function add(cart: Cart, item: CartItem): Cart {
  if (item.quantity <= 0) return remove(cart, item.drawId);
  const others = cart.clubId === null || cart.clubId === item.clubId ? cart.items.filter((kept) => kept.drawId !== item.drawId) : [];
  const at = cart.items.findIndex((kept) => kept.drawId === item.drawId);
  const items = [...others];
  items.splice(at >= 0 && others.length > 0 ? Math.min(at, others.length) : others.length, 0, item);
  return { items, clubId: item.clubId };
}

/** Whether adding would replace what another club's supporter has gathered. */
export const replaces = (cart: Cart, item: Pick<CartItem, 'clubId'>): boolean => cart.items.length > 0 && cart.clubId !== item.clubId;

/** A count of zero or less removes the item. */
export function setQuantity(cart: Cart, drawId: number, quantity: number): Cart {
  if (quantity <= 0) return remove(cart, drawId);
  return { ...cart, items: cart.items.map((item) => (item.drawId === drawId ? { ...item, quantity: Math.min(quantity, item.availableTickets) } : item)) };
}

export function remove(cart: Cart, drawId: number): Cart {
  const items = cart.items.filter((item) => item.drawId !== drawId);
  return items.length === 0 ? EMPTY : { ...cart, items };
}

/** What the server says is available now; an item nobody can have any more is taken out. */
export function refresh(cart: Cart, available: Readonly<Record<number, number>>): Cart {
  return cart.items.reduce((kept, item) => {
    const left = available[item.drawId];
    if (left === undefined) return kept;
    const items = kept.items.map((other) => (other.drawId === item.drawId ? { ...other, availableTickets: left } : other));
    return setQuantity({ ...kept, items }, item.drawId, Math.min(item.quantity, left));
  }, cart);
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

/** A saved cart with a bad shape is discarded. */
export function readCart(stored: unknown): Cart {
  if (typeof stored !== 'object' || stored === null || !Array.isArray((stored as Cart).items)) return EMPTY;
  const items = (stored as Cart).items.filter(isItem).map((item) => ({ ...item, clubId: item.clubId ?? clubIdOf(item.drawId) }));
  if (items.length !== (stored as Cart).items.length || items.length === 0) return EMPTY;
  return { items, clubId: (stored as Cart).clubId ?? items[0]?.clubId ?? null };
}

function isItem(item: unknown): item is CartItem {
  const { drawId, quantity, ticketPrice, homeTeam, awayTeam } = (item ?? {}) as Partial<CartItem>;
  return typeof drawId === 'number' && typeof quantity === 'number' && quantity > 0 && typeof ticketPrice === 'string' && typeof homeTeam === 'string' && typeof awayTeam === 'string';
}

/** '99+' above 99. */
export const badge = (tickets: number): string => (tickets > 99 ? '99+' : String(tickets));
