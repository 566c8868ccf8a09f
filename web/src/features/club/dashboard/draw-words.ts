/** What a club reads of one of its draws: its list, its badges, when it is and what it sold. */
import type { Draw } from '@/api/wire';
import { phaseOf } from '@/features/shared-live/draw-phase';
import { dayAndTime } from '@/shared/dates';
import { cents, dollars } from '@/shared/money';
import { C } from '@/shared/strings-club';

export type ListOfDraws = 'active' | 'awaiting' | 'completed';

/** A game that has begun and has no result is awaiting one, whatever its status still says (decision E-1). */
export function listOf(draw: Draw, nowMs: number): ListOfDraws {
  const phase = phaseOf(draw, nowMs);
  if (phase === 'closed') return 'awaiting';
  return phase === 'active' || phase === 'soldOut' ? 'active' : 'completed';
}

export interface BadgeWords {
  words: string;
  look: string;
}

export function badgesOf(draw: Draw, nowMs: number): BadgeWords[] {
  const of: Record<ListOfDraws, BadgeWords> = {
    active: { words: C.active, look: 'is-active' },
    awaiting: { words: C.awaitingResults, look: 'is-awaiting' },
    completed:
      draw.status === 'cancelled'
        ? { words: 'Cancelled', look: 'is-cancelled' }
        : { words: C.completed, look: 'is-completed' },
  };
  const badges = [of[listOf(draw, nowMs)]];
  if (draw.archived) badges.push({ words: C.archived, look: 'is-archived' });
  return badges;
}

export const teamsOf = (draw: Pick<Draw, 'homeTeam' | 'awayTeam'>): string =>
  `${draw.homeTeam} v ${draw.awayTeam}`;

/** Date and time; the date alone when they cannot be formatted (B:48). */
export function whenOf(
  draw: Pick<Draw, 'gameDate' | 'timezone'>,
  format: typeof dayAndTime = dayAndTime,
): string {
  try {
    return format(draw.gameDate, draw.timezone) || draw.gameDate.slice(0, 10);
  } catch {
    return draw.gameDate.slice(0, 10);
  }
}

/** Tickets sold times price, as the result page's header says it (B:65). */
export const salesOf = (draw: Pick<Draw, 'ticketsSold' | 'ticketPrice'>): string =>
  dollars(draw.ticketsSold * cents(draw.ticketPrice));

/** What is to be won; nothing once it was called off. */
export const prizeOf = (draw: Pick<Draw, 'status' | 'currentPrize'>): string =>
  draw.status === 'cancelled' ? NONE : dollars(cents(draw.currentPrize));

/** Where there is no sum. */
const NONE = '–';

/** A decimal string that may be below zero: a club's profit can be. */
export function signedDollars(decimal: string | undefined): string {
  if (decimal === undefined) return NONE;
  return decimal.startsWith('-') ? `−${dollars(cents(decimal.slice(1)))}` : dollars(cents(decimal));
}

/** Soonest game first while it is to come, latest first when it is over. */
export function inOrder(draws: readonly Draw[], list: ListOfDraws): Draw[] {
  const sign = list === 'active' ? 1 : -1;
  return [...draws].sort(
    (one, other) => sign * (Date.parse(one.gameDate) - Date.parse(other.gameDate)),
  );
}
