/** Sold is what has a buyer; a ticket that is paid and nobody's is orphaned, neither sold nor free (decisions F-2, F-3). The server's counts of what is sold hold both. */
import type { AdminDraw } from '@/api/wire-operator';

type Counted = Pick<AdminDraw, 'ticketsSold' | 'orphanedTickets'>;

/** A draw's counts are read one after the other, so that for a moment they may not fit. */
export const soldOf = ({ ticketsSold, orphanedTickets }: Counted): number =>
  Math.max(0, ticketsSold - orphanedTickets);

export const orphanedIn = (draws: readonly Counted[]): number =>
  draws.reduce((sum, { orphanedTickets }) => sum + orphanedTickets, 0);

/** The third number, said only while there is one. */
export const orphanedWords = (count: number): string | undefined =>
  count > 0 ? `${count} orphaned` : undefined;
