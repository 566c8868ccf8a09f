/** Finds draws and clubs by what a visitor types or chooses. Pure. */
import type { ClubSummary, Draw } from '@/api/wire';
import { drawPhaseOf, futureOpeningTimeOf } from '@/features/shared-live/draw-phase';
import { isSameDay } from '@/shared/dates';
import { decimalToCents } from '@/shared/money';

export const FIND_FIELD_ID = 'find';

const wordsOf = (text: string) => text.toLocaleLowerCase('en-AU').split(/\s+/).filter(Boolean);

/** Whether each word of the query begins a word of the text. */
function hasWords(text: string, query: string): boolean {
  const words = wordsOf(text);
  return wordsOf(query).every((wanted) => words.some((word) => word.startsWith(wanted)));
}

export const isDrawFound = (
  draw: Pick<Draw, 'homeTeam' | 'awayTeam' | 'clubName' | 'league'>,
  query: string,
): boolean =>
  hasWords(`${draw.homeTeam} ${draw.awayTeam} ${draw.clubName} ${draw.league ?? ''}`, query);

/** Returns the clubs with this name; none for an empty query. */
export const clubsFound = (clubs: readonly ClubSummary[], query: string): ClubSummary[] =>
  wordsOf(query).length === 0 ? [] : clubs.filter((club) => hasWords(club.name, query));

/** A filter of the list of draws, with the number of draws that it keeps. */
export interface DrawFilter {
  key: string;
  label: string;
  count: number;
}

export const ALL_DRAWS = 'all';
const HOUR_MS = 3_600_000;
const ENDING_SOON_MS = 6 * HOUR_MS;
const WEEK_MS = 7 * 24 * HOUR_MS;
/** More leagues, or leagues with one draw, would make the row long, and a search finds each. */
const LEAGUES_SHOWN_MAX = 4;
const LEAGUE_KEY_PREFIX = 'league:';

type FilteredDraw = Pick<Draw, 'gameDate' | 'timezone' | 'league'>;

/** Whether a filter keeps a draw. `nowMs` is the server's time. */
export function isKeptByFilter(draw: FilteredDraw, filter: string, nowMs: number): boolean {
  const kickOff = Date.parse(draw.gameDate);
  if (filter === 'today') return isSameDay(nowMs, kickOff, draw.timezone);
  if (filter === 'week') return kickOff - nowMs <= WEEK_MS;
  if (filter === 'soon') return kickOff - nowMs <= ENDING_SOON_MS;
  if (filter.startsWith(LEAGUE_KEY_PREFIX))
    return draw.league === filter.slice(LEAGUE_KEY_PREFIX.length);
  return true;
}

/**
 * Returns the filters worth showing: those that keep some draws but not all. Times come first, then
 * the leagues with the most draws.
 */
export function drawFilters(draws: readonly FilteredDraw[], nowMs: number): DrawFilter[] {
  const leagues = [...new Set(draws.map(({ league }) => league).filter((league) => !!league))];
  const filter = (key: string, label: string) => ({
    key,
    label,
    count: draws.filter((draw) => isKeptByFilter(draw, key, nowMs)).length,
  });
  const times = [
    filter('soon', 'Ending soon'),
    filter('today', 'Today'),
    filter('week', 'This week'),
  ];
  const byLeague = leagues
    .map((league) => filter(`${LEAGUE_KEY_PREFIX}${league}`, league ?? ''))
    .filter(({ count }) => count > 1)
    .sort((one, other) => other.count - one.count)
    .slice(0, LEAGUES_SHOWN_MAX);
  const useful = [...times, ...byLeague].filter(({ count }) => count > 0 && count < draws.length);
  return useful.length > 0
    ? [{ key: ALL_DRAWS, label: 'All', count: draws.length }, ...useful]
    : [];
}

/**
 * Returns the draw with the biggest prize of those on sale; of equal prizes the first. The server
 * chooses in the same way (`render/page/first_paint.rs`).
 */
export function drawWithBiggestPrize(draws: readonly Draw[], nowMs: number): Draw | null {
  return draws
    .filter(
      (draw) =>
        drawPhaseOf(draw, nowMs) === 'active' &&
        !futureOpeningTimeOf(draw, nowMs) &&
        draw.clubSelling !== false,
    )
    .reduce<Draw | null>(
      (best, draw) =>
        best && decimalToCents(best.currentPrize) >= decimalToCents(draw.currentPrize)
          ? best
          : draw,
      null,
    );
}
