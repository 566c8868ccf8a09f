/**
 * The tickets that the server holds for this tab's own purchase. The public count excludes these
 * tickets, and a reload forgets the open page's state. A buyer who holds the last tickets must not
 * read that they are sold out (decisions B-8, C-14).
 */
import type { Draw } from '@/api/wire';
import { forgetStored, readStored, writeStored } from '@/shared/storage';
import { ownReservedTicketCount, type Checkout, type OpenOrder } from '../state/checkout';

type SavedReservation = Pick<OpenOrder, 'expiresAt' | 'ticketCount' | 'items'>;

const reservationStorageKey = (scope: string) => `fd_kept:${scope}`;

export function saveReservation(
  scope: string,
  { expiresAt, ticketCount, items }: SavedReservation,
): void {
  writeStored('session', reservationStorageKey(scope), { expiresAt, ticketCount, items });
}

/**
 * Returns the tickets of a draw that are held for `scope`. None once the reservation has expired.
 */
export function savedReservedTicketCount(scope: string, drawNumber: number, nowMs: number): number {
  const saved = readStored(
    'session',
    reservationStorageKey(scope),
  ) as Partial<SavedReservation> | null;
  if (typeof saved?.expiresAt !== 'number' || saved.expiresAt <= nowMs) return 0;
  const items: OpenOrder['items'] = Array.isArray(saved.items) ? saved.items : undefined;
  const count = items
    ? items.find((item) => item.drawNumber === drawNumber)?.quantity
    : saved.ticketCount;
  return typeof count === 'number' ? count : 0;
}

/**
 * Returns the tickets that this tab's purchase holds, from the open page or from storage, and how
 * many the buyer can buy here.
 */
export function ticketsHeldAndAvailable(
  draw: Draw,
  checkout: Checkout,
  nowMs: number,
): { held: number; available: number } {
  const held =
    ownReservedTicketCount(checkout, nowMs) ||
    savedReservedTicketCount(`draw:${draw.drawNumber}`, draw.drawNumber, nowMs);
  return { held, available: Math.max(0, draw.ticketsAvailable) + held };
}

export const forgetReservation = (scope: string): void =>
  forgetStored('session', reservationStorageKey(scope));
