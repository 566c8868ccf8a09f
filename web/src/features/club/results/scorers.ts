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

const JERSEY_WORDS = [
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
];

/** Returns the number as a word, so that a slip is noticed: a 6 and a 9 look alike. */
export const jerseyWord = (jersey: number | null): string =>
  (jersey === null ? undefined : JERSEY_WORDS[jersey - 1]) ?? '–';

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

/**
 * Returns the scorers that were chosen on this device but do not stand, because another person
 * entered the result first. Null when there are none.
 */
export function findOverruledScorers(
  draw: Pick<Draw, 'drawNumber' | 'homeFirstTryScorer' | 'awayFirstTryScorer'>,
): FirstTryScorers | null {
  const saved = loadSavedScorers(draw);
  if (saved.home === null || saved.away === null) return null;
  const stands = saved.home === draw.homeFirstTryScorer && saved.away === draw.awayFirstTryScorer;
  return stands ? null : saved;
}

export const saveScorers = (draw: Pick<Draw, 'drawNumber'>, scorers: FirstTryScorers): void =>
  void writeStored('session', scorersStorageKeyOf(draw.drawNumber), scorers);
export const deleteSavedScorers = (draw: Pick<Draw, 'drawNumber'>): void =>
  forgetStored('session', scorersStorageKeyOf(draw.drawNumber));
