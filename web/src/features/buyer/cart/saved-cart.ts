/**
 * Reads a saved cart. The stored data may be years old, incomplete or written by another program
 * (specification line A:185). Pure.
 */
import { decimalToCents } from '@/shared/money';
import { EMPTY_CART, TICKETS_PER_LINE_MAX, deriveClubIdFromDrawId, reduceToLimits } from './cart';
import type { Cart, CartItem } from './cart';

const CART_LINES_MAX = 20;
const TEXT_LENGTH_MAX = 300;

/**
 * Returns the stored cart. Returns an empty cart for a malformed one and for one with several
 * clubs, which the server would refuse (decision A-2).
 */
export function parseStoredCart(stored: unknown): Cart {
  const storedItems = (stored as Partial<Cart> | null)?.items;
  if (
    !Array.isArray(storedItems) ||
    storedItems.length === 0 ||
    storedItems.length > CART_LINES_MAX
  )
    return EMPTY_CART;
  const items = storedItems.map(parseCartItem);
  if (items.some((item) => item === null)) return EMPTY_CART;
  const good = items as CartItem[];
  const clubId = good[0]?.clubId ?? null;
  const oneClub = good.every((item) => item.clubId === clubId);
  const eachOnce = new Set(good.map((item) => item.drawId)).size === good.length;
  return oneClub && eachOnce ? reduceToLimits({ items: good, clubId }) : EMPTY_CART;
}

const isNonEmptyText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= TEXT_LENGTH_MAX;
const isTicketCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

function parseCartItem(stored: unknown): CartItem | null {
  const item = (stored ?? {}) as Partial<CartItem>;
  const { drawId, quantity, ticketPrice, homeTeam, awayTeam, gameDate } = item;
  const drawNumber = item.drawNumber ?? drawId;
  if (!isTicketCount(drawId) || !isTicketCount(drawNumber) || !isTicketCount(quantity)) return null;
  if (
    !isNonEmptyText(ticketPrice) ||
    decimalToCents(ticketPrice) === 0 ||
    !isNonEmptyText(homeTeam) ||
    !isNonEmptyText(awayTeam) ||
    !isNonEmptyText(gameDate)
  )
    return null;
  return {
    drawId,
    drawNumber,
    ticketPrice,
    homeTeam,
    awayTeam,
    gameDate,
    quantity: Math.min(quantity, TICKETS_PER_LINE_MAX),
    drawTitle: isNonEmptyText(item.drawTitle) ? item.drawTitle : `${homeTeam} v ${awayTeam}`,
    passStripeFees: item.passStripeFees === true,
    clubId: isTicketCount(item.clubId) ? item.clubId : deriveClubIdFromDrawId(drawId),
    clubName: isNonEmptyText(item.clubName) ? item.clubName : '',
    clubSlug: isNonEmptyText(item.clubSlug) ? item.clubSlug : '',
    ...(isNonEmptyText(item.timezone) ? { timezone: item.timezone } : {}),
    ...(isTicketCount(item.bundleId) ? { bundleId: item.bundleId } : {}),
    availableTickets: isTicketCount(item.availableTickets) ? item.availableTickets : quantity,
  };
}
