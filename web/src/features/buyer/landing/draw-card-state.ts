/**
 * The state shown on a draw's card (specification lines A:56-60). The draw's own page has different
 * texts for the same state.
 */
import type { Draw } from '@/api/wire';
import { futureOpeningTimeOf, type DrawPhase } from '@/features/shared-live/draw-phase';

export type DrawCardState = 'open' | 'scheduled' | 'soldOut' | 'closed' | 'completed' | 'cancelled';

/**
 * Returns the state of a draw's card. An unknown status reads as sold out, as specified for "any
 * other non-completed status".
 */
export function drawCardStateOf(
  draw: Pick<Draw, 'status' | 'opensAt'>,
  phase: DrawPhase,
  nowMs: number,
): DrawCardState {
  if (phase === 'active') return futureOpeningTimeOf(draw, nowMs) ? 'scheduled' : 'open';
  if (phase === 'completed' && draw.status !== 'completed') return 'soldOut';
  return phase;
}
