/** What screens show of an offer. Boards need only these, and not the rules of its sale. */
import type { Offer, OfferGame } from '@/api/wire-public';
import { DISPLAY_TAG_CHARS_SHOWN } from '@/shared/display-tag';
import { decimalToCents, sumPrices, type Price, type SurchargeMode } from '@/shared/money';

/**
 * Returns the price of a number of offers: the tickets of each game, and the fee where the buyer
 * pays it, per line or once (decisions H-8 and D-6).
 */
export function offerPrice(offer: Offer, count: number, mode: SurchargeMode = 'per_line'): Price {
  return sumPrices(
    offer.games.map((game) => ({
      subtotal: decimalToCents(game.ticketPrice) * count,
      passesFee: game.passStripeFees,
    })),
    mode,
  );
}

/**
 * Returns the offer's display tag, cut at 90 characters. The stored tag stays complete (decision
 * H-12).
 */
export function shortDisplayTag(offer: Pick<Offer, 'displayTag'>): string | null {
  const tag = offer.displayTag?.trim() ?? '';
  if (tag === '') return null;
  return tag.length > DISPLAY_TAG_CHARS_SHOWN ? `${tag.slice(0, DISPLAY_TAG_CHARS_SHOWN)}…` : tag;
}

export const gameTitle = (game: Pick<OfferGame, 'homeTeam' | 'awayTeam'>): string =>
  `${game.homeTeam} v ${game.awayTeam}`;
export const gameDrawNumber = (game: Pick<OfferGame, 'id' | 'drawNumber'>): number =>
  game.drawNumber ?? game.id;
