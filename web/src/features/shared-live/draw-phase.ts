/** What a draw is for the person looking at it now; the server's word and its clock together decide (public §4, E-3). */
import type { Draw } from '@/api/wire';

export type DrawPhase = 'active' | 'soldOut' | 'closed' | 'completed' | 'cancelled';

export function phaseOf(
  draw: Pick<Draw, 'status' | 'gameDate' | 'ticketsAvailable'>,
  nowMs: number,
): DrawPhase {
  if (draw.status === 'completed') return 'completed';
  if (draw.status === 'cancelled') return 'cancelled';
  if (
    draw.status === 'closed' ||
    draw.status === 'awaiting_draw' ||
    Date.parse(draw.gameDate) <= nowMs
  )
    return 'closed';
  if (draw.status === 'active' || draw.status === 'open')
    return draw.ticketsAvailable > 0 ? 'active' : 'soldOut';
  // An unknown word reads as completed, as specified (D18); nothing can be bought then.
  return 'completed';
}

/** When a draw that is on sale later opens; null once it has (E-20). */
export function opensLater(draw: { opensAt?: string | null }, nowMs: number): string | null {
  return draw.opensAt && Date.parse(draw.opensAt) > nowMs ? draw.opensAt : null;
}

/** Nothing new is sold, because its club takes no payments: an archived one, or one that is not ready (B-13, H-3). */
export function isUnsold(draw: Pick<Draw, 'clubSelling'>, phase: DrawPhase): boolean {
  return draw.clubSelling === false && (phase === 'active' || phase === 'soldOut');
}

export const UNSOLD = {
  title: 'Not on sale',
  text: 'This club is not selling tickets at the moment.',
};

export const TICKETS = 169;

/** Everything that is left is being paid for by others, and may come free; null once it is sold (E-3). */
export function takenForNow({
  ticketsSold,
  ticketsHeld,
}: Pick<Draw, 'ticketsSold' | 'ticketsHeld'>): { title: string; text: string } | null {
  if (ticketsSold >= TICKETS || ticketsHeld <= 0) return null;
  const text =
    ticketsHeld === 1
      ? '1 ticket is being paid for; you’ll see it here if it comes free.'
      : `${ticketsHeld} tickets are being paid for; you’ll see them here if they come free.`;
  return { title: 'Every ticket is taken for now', text };
}

/** Share of tickets sold with one decimal: `66.9%`. */
export function soldShare(sold: number): string {
  return `${((sold / TICKETS) * 100).toFixed(1)}%`;
}
