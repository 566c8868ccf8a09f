/**
 * Ticket counts. A sold ticket has a buyer. A paid ticket without a buyer is orphaned: neither sold
 * nor free (decisions F-2, F-3). The server's sold counts include both kinds.
 */
import type { AdminDraw } from '@/api/wire-operator';

type TicketCounts = Pick<AdminDraw, 'ticketsSold' | 'orphanedTickets'>;

/**
 * Returns the number of sold tickets that have a buyer. The server's two counts are read at
 * different moments and may briefly disagree.
 */
export const soldTicketCount = ({ ticketsSold, orphanedTickets }: TicketCounts): number =>
  Math.max(0, ticketsSold - orphanedTickets);

export const orphanedTicketCount = (draws: readonly TicketCounts[]): number =>
  draws.reduce((sum, { orphanedTickets }) => sum + orphanedTickets, 0);

/**
 * Describes the number of orphaned tickets, which are paid but have no buyer; undefined when there
 * are none.
 */
export const orphanedTicketsText = (count: number): string | undefined =>
  count > 0 ? `${count} orphaned` : undefined;
