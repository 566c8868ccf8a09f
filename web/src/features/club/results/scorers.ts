/** The two chosen first try scorers, and their text in the confirmation. */
import type { Draw } from '@/api/wire';
import { JERSEY_NUMBERS } from '@/shared/draw-size';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { forgetStored, readStored, writeStored } from '@/shared/storage';

export interface FirstTryScorers {
  home: number | null;
  away: number | null;
}

export const DEFAULT_JERSEY = 9;

/** Returns '9 – No Try/Default', or the number alone. */
export const jerseyText = (jersey: number): string =>
  jersey === DEFAULT_JERSEY ? `${jersey} – ${C.noTryDefault}` : String(jersey);

/** Returns the confirmation text: 'Redcliffe Sharks: number 9 (No Try/Default)'. */
export const scorerText = (team: string, jersey: number): string =>
  `${team}: number ${jersey}${jersey === DEFAULT_JERSEY ? ` (${C.noTryDefault})` : ''}`;

const scorersStorageKeyOf = (draw: number) => `result_draft:${draw}`;
const isJersey = (value: unknown): value is number =>
  typeof value === 'number' && JERSEY_NUMBERS.includes(value);

/** Returns the scorers chosen earlier, from session storage. They are never sent automatically. */
export function loadSavedScorers(draw: Pick<Draw, 'drawNumber'>): FirstTryScorers {
  const stored = readStored(
    'session',
    scorersStorageKeyOf(draw.drawNumber),
  ) as Partial<FirstTryScorers> | null;
  return {
    home: isJersey(stored?.home) ? stored.home : null,
    away: isJersey(stored?.away) ? stored.away : null,
  };
}

export const saveScorers = (draw: Pick<Draw, 'drawNumber'>, scorers: FirstTryScorers): void =>
  void writeStored('session', scorersStorageKeyOf(draw.drawNumber), scorers);
export const deleteSavedScorers = (draw: Pick<Draw, 'drawNumber'>): void =>
  forgetStored('session', scorersStorageKeyOf(draw.drawNumber));
