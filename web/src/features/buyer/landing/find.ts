/** Finds draws and clubs by what a visitor types. Pure. */
import type { ClubSummary, Draw } from '@/api/wire';

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
