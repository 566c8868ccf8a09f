/**
 * Idempotency keys of purchase attempts. A key stays stored until the attempt ends, so that a
 * reload or a double tap cannot charge twice.
 */
import { forgetStored, readStored, writeStored } from '@/shared/storage';
import { forgetReservation } from '../reservation/reserved-tickets';

export interface PurchaseAttempt {
  clientKey: string;
  orderToken?: string;
  paymentIntentId?: string;
  /** Whether a payment may have been requested from the provider. */
  paying?: boolean;
}

const attemptStorageKey = (scope: string) => `fd_attempt:${scope}`;
const finishedOrderStorageKey = (scope: string) => `fd_finished:${scope}`;

// Replaces browser storage where the browser forbids it. These attempts are lost when the page
// closes.
const attemptsInMemory = new Map<string, PurchaseAttempt>();

function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the current attempt for `scope` ("draw:1042", "cart"), if there is one. */
export function currentAttempt(scope: string): PurchaseAttempt | null {
  const stored = readStored('session', attemptStorageKey(scope));
  if (
    typeof stored === 'object' &&
    stored !== null &&
    typeof (stored as PurchaseAttempt).clientKey === 'string'
  )
    return stored as PurchaseAttempt;
  return attemptsInMemory.get(scope) ?? null;
}

export function beginAttempt(scope: string): PurchaseAttempt {
  const attempt = currentAttempt(scope) ?? { clientKey: newIdempotencyKey() };
  saveAttempt(scope, attempt);
  forgetStored('session', finishedOrderStorageKey(scope));
  return attempt;
}

export function saveAttempt(scope: string, attempt: PurchaseAttempt): void {
  attemptsInMemory.set(scope, attempt);
  writeStored('session', attemptStorageKey(scope), attempt);
}

/** Ends the attempt. Its idempotency key is not used again. */
export function endAttempt(scope: string): void {
  attemptsInMemory.delete(scope);
  forgetStored('session', attemptStorageKey(scope));
  forgetReservation(scope);
}

/**
 * Ends the attempt with issued tickets. A buyer who returns by the back button, in a duplicated tab
 * or on a cached page then finds the purchase finished, until the next attempt starts. `orderToken`
 * defaults to the token of the current attempt.
 */
export function finishAttemptWithTickets(
  scope: string,
  orderToken = currentAttempt(scope)?.orderToken,
): void {
  endAttempt(scope);
  if (orderToken) writeStored('session', finishedOrderStorageKey(scope), orderToken);
}

/**
 * Returns the token of the order that finished last in this scope. Null when none has finished or a
 * new attempt has started since.
 */
export function finishedOrderToken(scope: string): string | null {
  const token = readStored('session', finishedOrderStorageKey(scope));
  return typeof token === 'string' ? token : null;
}
