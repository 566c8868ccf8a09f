/**
 * The 13 × 13 grid as numbers. Before the result, the grid only counts sales: the k-th sale lights
 * a slot that reveals nothing about pairs.
 */
import { JERSEY_NUMBER_MAX, TICKETS_PER_DRAW } from '@/shared/draw-size';

export interface Pair {
  home: number;
  away: number;
}

/** Cells are numbered row by row from the top: cell 0 is home 1, away 1. */
export const pairAt = (cell: number): Pair => ({
  home: Math.floor(cell / JERSEY_NUMBER_MAX) + 1,
  away: (cell % JERSEY_NUMBER_MAX) + 1,
});
export const cellOf = ({ home, away }: Pair): number => (home - 1) * JERSEY_NUMBER_MAX + away - 1;

/**
 * Shuffles the cells by a small random generator with a fixed seed, so that every browser gets the
 * same order.
 */
function shuffleCells(): number[] {
  let word = 20_261_120;
  const order = Array.from({ length: TICKETS_PER_DRAW }, (_, slot) => slot);
  for (let last = TICKETS_PER_DRAW - 1; last > 0; last--) {
    word = (Math.imul(word, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((word / 2 ** 32) * (last + 1));
    [order[last], order[other]] = [order[other] ?? 0, order[last] ?? 0];
  }
  return order;
}

/**
 * The order in which sales light the slots. The order is the same for every draw, so a lit slot
 * reveals nothing about a pair (interface decision D2).
 */
export const TALLY_SLOT_ORDER: readonly number[] = shuffleCells();

const SLOT_ANIMATION_STEP_MS = 40;
const SLOT_ANIMATION_DELAY_MS_MAX = 1_200;

/**
 * Returns the delay of each newly lit slot. Many sales in one message light one after another,
 * within 1.2 s.
 */
export function slotAnimationDelayMs(index: number, count: number): number {
  const step = Math.min(SLOT_ANIMATION_STEP_MS, SLOT_ANIMATION_DELAY_MS_MAX / Math.max(1, count));
  return Math.round(index * step);
}
