/** Labels of a club's draws: list, badges, date, sales and prize. */
import type { Draw } from '@/api/wire';
import { drawPhaseOf } from '@/features/shared-live/draw-phase';
import { dayAndTime } from '@/shared/dates';
import { decimalToCents, formatDollars } from '@/shared/money';
import { CLUB_TEXTS as C } from '@/shared/strings-club';

export type DrawListName = 'active' | 'awaiting' | 'completed';

/**
 * Returns the dashboard's list that a draw belongs to. A draw past kick-off that is neither
 * completed nor cancelled awaits its result, even while its status is still active (decision E-1).
 */
export function drawListNameOf(draw: Draw, nowMs: number): DrawListName {
  const phase = drawPhaseOf(draw, nowMs);
  if (phase === 'closed') return 'awaiting';
  return phase === 'active' || phase === 'soldOut' ? 'active' : 'completed';
}

export interface DrawBadge {
  text: string;
  tone: string;
}

export function drawBadgesOf(draw: Draw, nowMs: number): DrawBadge[] {
  const of: Record<DrawListName, DrawBadge> = {
    active: { text: C.active, tone: 'is-active' },
    awaiting: { text: C.awaitingResults, tone: 'is-awaiting' },
    completed:
      draw.status === 'cancelled'
        ? { text: 'Cancelled', tone: 'is-cancelled' }
        : { text: C.completed, tone: 'is-completed' },
  };
  const badges = [of[drawListNameOf(draw, nowMs)]];
  if (draw.archived) badges.push({ text: C.archived, tone: 'is-archived' });
  return badges;
}

export const teamsText = (draw: Pick<Draw, 'homeTeam' | 'awayTeam'>): string =>
  `${draw.homeTeam} v ${draw.awayTeam}`;

/** Returns the game as the club says it: 'v Logan' at home, 'at Logan' away, else both teams. */
export function shortGameText(
  { homeTeam, awayTeam }: Pick<Draw, 'homeTeam' | 'awayTeam'>,
  club: string,
): string {
  if (homeTeam === club) return `v ${awayTeam}`;
  return awayTeam === club ? `at ${homeTeam}` : `${homeTeam} v ${awayTeam}`;
}

/** Formats date and time; only the date when they cannot be formatted (specification line B:49). */
export function gameTimeText(
  draw: Pick<Draw, 'gameDate' | 'timezone'>,
  format: typeof dayAndTime = dayAndTime,
): string {
  try {
    return format(draw.gameDate, draw.timezone) || draw.gameDate.slice(0, 10);
  } catch {
    return draw.gameDate.slice(0, 10);
  }
}

/** Formats tickets sold × price, as in the header of the result page (specification line B:65). */
export const grossSalesText = (draw: Pick<Draw, 'ticketsSold' | 'ticketPrice'>): string =>
  formatDollars(draw.ticketsSold * decimalToCents(draw.ticketPrice));

/** Formats the current prize; a dash for a cancelled draw. */
export const prizeText = (draw: Pick<Draw, 'status' | 'currentPrize'>): string =>
  draw.status === 'cancelled'
    ? MISSING_AMOUNT_TEXT
    : formatDollars(decimalToCents(draw.currentPrize));

/** Text shown when a sum is missing. */
const MISSING_AMOUNT_TEXT = '–';

/** Formats a decimal string that may be negative: a club's profit can be. */
export function signedDollars(decimal: string | undefined): string {
  if (decimal === undefined) return MISSING_AMOUNT_TEXT;
  return decimal.startsWith('-')
    ? `−${formatDollars(decimalToCents(decimal.slice(1)))}`
    : formatDollars(decimalToCents(decimal));
}

/** Sorts upcoming draws by the soonest game first, finished draws by the latest game first. */
export function sortedDraws(draws: readonly Draw[], list: DrawListName): Draw[] {
  const sign = list === 'active' ? 1 : -1;
  return [...draws].sort(
    (one, other) => sign * (Date.parse(one.gameDate) - Date.parse(other.gameDate)),
  );
}
