/** What a draw's card says it is (A:56-60); the draw's own page has its own words for the same. */
import type { Draw } from '@/api/wire';
import { opensLater, type DrawPhase } from '@/features/shared-live/draw-phase';

export type CardState = 'open' | 'scheduled' | 'soldOut' | 'closed' | 'completed' | 'cancelled';

/** A status nobody knows reads as sold out on a card, as specified for "any other non-completed status". */
export function cardStateOf(
  draw: Pick<Draw, 'status' | 'opensAt'>,
  phase: DrawPhase,
  nowMs: number,
): CardState {
  if (phase === 'active') return opensLater(draw, nowMs) ? 'scheduled' : 'open';
  if (phase === 'completed' && draw.status !== 'completed') return 'soldOut';
  return phase;
}
