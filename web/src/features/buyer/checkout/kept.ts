/**
 * What the server keeps for this tab's own purchase. The public count has it as taken, and after a reload nothing else here
 * remembers it: whoever has the last tickets reserved must not read that they are gone (B-8, C-14).
 */
import type { Draw } from '@/api/wire';
import { forgetStored, readStored, writeStored } from '@/shared/storage';
import { ownHeld, type Checkout, type OpenOrder } from './checkout';

type Kept = Pick<OpenOrder, 'expiresAt' | 'ticketCount' | 'items'>;

const keyOf = (scope: string) => `fd_kept:${scope}`;

export function noteKept(scope: string, { expiresAt, ticketCount, items }: Kept): void {
  writeStored('session', keyOf(scope), { expiresAt, ticketCount, items });
}

/** Tickets of a draw that are kept for `scope`; none once the reservation has lapsed. */
export function keptOf(scope: string, drawNumber: number, nowMs: number): number {
  const kept = readStored('session', keyOf(scope)) as Partial<Kept> | null;
  if (typeof kept?.expiresAt !== 'number' || kept.expiresAt <= nowMs) return 0;
  const items: OpenOrder['items'] = Array.isArray(kept.items) ? kept.items : undefined;
  const count = items
    ? items.find((item) => item.drawNumber === drawNumber)?.quantity
    : kept.ticketCount;
  return typeof count === 'number' ? count : 0;
}

/** Tickets that a draw's own purchase has in this tab, as the open page knows it or as it was noted, and with them what can be bought here. */
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
