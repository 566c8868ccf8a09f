/**
 * The phase of a draw as the visitor sees it now. It depends on the server's status and the
 * server's clock (specification part A, section 4; decision E-3).
 */
import type { Draw } from '@/api/wire';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';

export type DrawPhase = 'active' | 'soldOut' | 'closed' | 'completed' | 'cancelled';

export function drawPhaseOf(
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
  // An unknown status reads as completed, as specified, so that nothing can be bought (interface
  // decision D18).
  return 'completed';
}

/** Returns when sales of a draw will open. Null once they are open (decision E-20). */
export function futureOpeningTimeOf(
  draw: { opensAt?: string | null },
  nowMs: number,
): string | null {
  return draw.opensAt && Date.parse(draw.opensAt) > nowMs ? draw.opensAt : null;
}

/**
 * Whether an open draw sells no tickets because its club is archived or not ready for payments
 * (decisions B-13, H-3).
 */
export function isClubNotSelling(draw: Pick<Draw, 'clubSelling'>, phase: DrawPhase): boolean {
  return draw.clubSelling === false && (phase === 'active' || phase === 'soldOut');
}

export const CLUB_NOT_SELLING_NOTICE = {
  title: 'Not on sale',
  text: 'This club is not selling tickets at the moment.',
};

/**
 * Returns the text for when other buyers hold every remaining ticket, because held tickets may
 * become available again. Null once all are sold (decision E-3).
 */
export function temporarilySoldOutText({
  ticketsSold,
  ticketsHeld,
}: Pick<Draw, 'ticketsSold' | 'ticketsHeld'>): { title: string; text: string } | null {
  if (ticketsSold >= TICKETS_PER_DRAW || ticketsHeld <= 0) return null;
  const text =
    ticketsHeld === 1
      ? '1 ticket is being paid for; you’ll see it here if it comes free.'
      : `${ticketsHeld} tickets are being paid for; you’ll see them here if they come free.`;
  return { title: 'Every ticket is taken for now', text };
}

/** Returns the share of sold tickets with one decimal: `66.9%`. */
export function soldShareText(sold: number): string {
  return `${((sold / TICKETS_PER_DRAW) * 100).toFixed(1)}%`;
}
