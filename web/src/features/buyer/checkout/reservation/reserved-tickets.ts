/**
 * The tickets that the server holds for this tab's own purchase. The public count excludes them,
 * and a reload forgets the open page's state. A buyer who holds the last tickets must not read that
 * they are sold out (decisions B-8, C-14).
 */
import type { Draw } from '@/api/wire';
import { forgetStored, readStored, writeStored } from '@/shared/storage';
import { ownHeld, type Checkout, type OpenOrder } from '../state/checkout';

type KeptReservation = Pick<OpenOrder, 'expiresAt' | 'ticketCount' | 'items'>;

const keyOf = (scope: string) => `fd_kept:${scope}`;

export function noteKept(scope: string, { expiresAt, ticketCount, items }: KeptReservation): void {
  writeStored('session', keyOf(scope), { expiresAt, ticketCount, items });
}

/**
 * Returns the tickets of a draw that are held for `scope`. None once the reservation has expired.
 */
export function keptOf(scope: string, drawNumber: number, nowMs: number): number {
  const kept = readStored('session', keyOf(scope)) as Partial<KeptReservation> | null;
  if (typeof kept?.expiresAt !== 'number' || kept.expiresAt <= nowMs) return 0;
  const items: OpenOrder['items'] = Array.isArray(kept.items) ? kept.items : undefined;
  const count = items
    ? items.find((item) => item.drawNumber === drawNumber)?.quantity
    : kept.ticketCount;
  return typeof count === 'number' ? count : 0;
}

/**
 * Returns the tickets that this tab's purchase holds, from the open page or from storage, and how
 * many the buyer can buy here.
 */
export function heldHere(
  draw: Draw,
  checkout: Checkout,
  nowMs: number,
): { held: number; available: number } {
  const held =
    ownHeld(checkout, nowMs) || keptOf(`draw:${draw.drawNumber}`, draw.drawNumber, nowMs);
  return { held, available: Math.max(0, draw.ticketsAvailable) + held };
}

export const forgetKept = (scope: string): void => forgetStored('session', keyOf(scope));
