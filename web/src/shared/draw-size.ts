/** Size of a draw: one ticket for each pair of jersey numbers from 1 to 13. */

export const JERSEY_NUMBER_MAX = 13;
export const JERSEY_NUMBERS: readonly number[] = Array.from(
  { length: JERSEY_NUMBER_MAX },
  (_, index) => index + 1,
);
export const TICKETS_PER_DRAW = JERSEY_NUMBER_MAX * JERSEY_NUMBER_MAX;
