/**
 * Rules of an offer (specification lines A:105-107 and A:174-176): when it is on sale, what it
 * costs and what prevents its sale. Pure.
 */
import type { Draw } from '@/api/wire';
import { futureOpeningTimeOf } from '@/features/shared-live/draw-phase';
import type { Offer, OfferGame } from '@/api/wire-public';
import { gameTitle } from './offer-facts';

export { gameDrawNumber, gameTitle, offerPrice, shortDisplayTag } from './offer-facts';

/**
 * Number of available tickets that an offer's cart line starts with (specification line A:154). The
 * cart asks the server for the real number before payment (decision C-14).
 */
export const ASSUMED_TICKETS_AVAILABLE = 9999;

/**
 * `scheduled`: before the start. `ended`: after the end, shown as not found. `closed`: by its
 * status, or because the first game has closed. `hidden`: a draft or archived, shown as not found.
 */
export type OfferPhase = 'scheduled' | 'open' | 'closed' | 'ended' | 'hidden';

const parseInstant = (time: string | null | undefined): number | null => {
  const at = Date.parse(time ?? '');
  return Number.isNaN(at) ? null : at;
};

export const offerOpensAt = (offer: Offer): number | null =>
  parseInstant(offer.startAt ?? offer.start_at);
const offerEndsAt = (offer: Offer): number | null => parseInstant(offer.endAt ?? offer.end_at);
const gameClosesAt = (game: OfferGame): number | null =>
  parseInstant(game.salesCloseAt) ?? parseInstant(game.gameDate);

/**
 * Returns when the first game of the offer stops selling. For a special, it is the first game with
 * a known time (specification line A:176).
 */
export function offerClosesAt(offer: Offer): number | null {
  const closingTimes = offer.games.map(gameClosesAt).filter((at) => at !== null);
  if (closingTimes.length === 0) return null;
  return offer.type === 'SPECIAL' ? (closingTimes[0] ?? null) : Math.min(...closingTimes);
}

export function offerPhase(offer: Offer, nowMs: number): OfferPhase {
  if (offer.status === 'draft' || offer.status === 'archived') return 'hidden';
  const [opens, ends, closes] = [offerOpensAt(offer), offerEndsAt(offer), offerClosesAt(offer)];
  if (ends !== null && nowMs > ends) return 'ended';
  if (offer.status === 'closed' || (closes !== null && nowMs >= closes)) return 'closed';
  return opens !== null && nowMs < opens ? 'scheduled' : 'open';
}

/** Whether the club's page lists the offer. */
export const isOfferListed = (offer: Offer, nowMs: number): boolean =>
  offerPhase(offer, nowMs) === 'open';

const SELLABLE_STATUSES = ['open', 'active', 'awaiting_draw'];

/**
 * Whether a game can still sell this many tickets: by status, time and tickets left, if known
 * (specification line A:174).
 */
export function isGameSellable(
  draw: Pick<Draw, 'status' | 'gameDate'> & { opensAt?: string | null; ticketsAvailable?: number },
  count: number,
  nowMs: number,
): boolean {
  return (
    SELLABLE_STATUSES.includes(draw.status) &&
    Date.parse(draw.gameDate) > nowMs &&
    futureOpeningTimeOf(draw, nowMs) === null &&
    (draw.ticketsAvailable ?? count) >= count
  );
}

/**
 * Returns why the offer cannot be added, naming every game that prevents it. Null when it can be
 * added (decision H-9).
 */
export function offerRefusalText(
  draws: readonly Draw[],
  count: number,
  nowMs: number,
): string | null {
  const named = (draws: readonly Draw[]) => draws.map(gameTitle).join(' and ');
  const early = draws.filter((draw) => futureOpeningTimeOf(draw, nowMs));
  if (early.length > 0)
    return `${named(early)} ${early.length === 1 ? 'is' : 'are'} not on sale yet, so this offer cannot be added.`;
  const over = draws.filter((draw) => !isGameSellable(draw, 0, nowMs));
  if (over.length > 0)
    return `${named(over)} ${over.length === 1 ? 'is' : 'are'} no longer on sale, so this offer cannot be added.`;
  const full = draws.filter((draw) => draw.ticketsAvailable <= 0);
  if (full.length > 0)
    return `${named(full)} ${full.length === 1 ? 'is' : 'are'} sold out, so this offer cannot be added.`;
  const short = draws.find((draw) => draw.ticketsAvailable < count);
  if (short)
    return `Only ${short.ticketsAvailable} ${short.ticketsAvailable === 1 ? 'ticket' : 'tickets'} left for ${gameTitle(short)}. Choose fewer.`;
  return null;
}
