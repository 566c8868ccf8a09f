/**
 * Reads a saved cart. It may be years old, incomplete or written by another program (specification
 * line A:185). Pure.
 */
import { cents } from '@/shared/money';
import { EMPTY, PER_LINE_MAX, clubIdOf, withinLimits, type Cart, type CartItem } from './cart';

const LINES_MAX = 20;

/**
 * Returns the stored cart. Returns an empty cart for a malformed one and for one with several
 * clubs, which the server would refuse (decision A-2).
 */
export function readCart(stored: unknown): Cart {
  const storedItems = (stored as Partial<Cart> | null)?.items;
  if (!Array.isArray(storedItems) || storedItems.length === 0 || storedItems.length > LINES_MAX)
    return EMPTY;
  const items = storedItems.map(readItem);
  if (items.some((item) => item === null)) return EMPTY;
  const good = items as CartItem[];
  const clubId = good[0]?.clubId ?? null;
  const oneClub = good.every((item) => item.clubId === clubId);
  const eachOnce = new Set(good.map((item) => item.drawId)).size === good.length;
  return oneClub && eachOnce ? withinLimits({ items: good, clubId }) : EMPTY;
}

const isWord = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 300;
const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0;

function readItem(stored: unknown): CartItem | null {
  const item = (stored ?? {}) as Partial<CartItem>;
  const { drawId, quantity, ticketPrice, homeTeam, awayTeam, gameDate } = item;
  const drawNumber = item.drawNumber ?? drawId;
  if (!isCount(drawId) || !isCount(drawNumber) || !isCount(quantity)) return null;
  if (
    !isWord(ticketPrice) ||
    cents(ticketPrice) === 0 ||
    !isWord(homeTeam) ||
    !isWord(awayTeam) ||
    !isWord(gameDate)
  )
    return null;
  return {
    drawId,
    drawNumber,
    ticketPrice,
    homeTeam,
    awayTeam,
    gameDate,
    quantity: Math.min(quantity, PER_LINE_MAX),
    drawTitle: isWord(item.drawTitle) ? item.drawTitle : `${homeTeam} v ${awayTeam}`,
    passStripeFees: item.passStripeFees === true,
    clubId: isCount(item.clubId) ? item.clubId : clubIdOf(drawId),
    clubName: isWord(item.clubName) ? item.clubName : '',
    clubSlug: isWord(item.clubSlug) ? item.clubSlug : '',
    ...(isWord(item.timezone) ? { timezone: item.timezone } : {}),
    ...(isCount(item.bundleId) ? { bundleId: item.bundleId } : {}),
    availableTickets: isCount(item.availableTickets) ? item.availableTickets : quantity,
  };
}
