/** One key per attempt to buy, kept until it is decided, so that a reload or a double tap cannot charge twice. */
import { forgetStored, readStored, writeStored } from '@/shared/storage';
import { forgetKept } from './kept';

export interface Attempt {
  clientKey: string;
  orderToken?: string;
  paymentIntentId?: string;
  /** Whether the provider may have been asked for money. */
  paying?: boolean;
}

const keyOf = (scope: string) => `fd_attempt:${scope}`;
const finishedKeyOf = (scope: string) => `fd_finished:${scope}`;

// Should storage be forbidden, the key lives as long as the page.
const kept = new Map<string, Attempt>();

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** The attempt under way for `scope` ("draw:1042", "cart"), if there is one. */
export function attemptOf(scope: string): Attempt | null {
  const stored = readStored('session', keyOf(scope));
  if (
    typeof stored === 'object' &&
    stored !== null &&
    typeof (stored as Attempt).clientKey === 'string'
  )
    return stored as Attempt;
  return kept.get(scope) ?? null;
}

export function beginAttempt(scope: string): Attempt {
  const attempt = attemptOf(scope) ?? { clientKey: randomKey() };
  noteAttempt(scope, attempt);
  forgetStored('session', finishedKeyOf(scope));
  return attempt;
}

export function noteAttempt(scope: string, attempt: Attempt): void {
  kept.set(scope, attempt);
  writeStored('session', keyOf(scope), attempt);
}

/** Decided: tickets issued, or surely nobody was charged. */
export function endAttempt(scope: string): void {
  kept.delete(scope);
  forgetStored('session', keyOf(scope));
  forgetKept(scope);
}

/**
 * Decided with tickets. Until the next attempt begins, whoever comes back here finds the purchase finished: by the back button,
 * in a duplicated tab, or on a page that the browser kept. The token is the attempt's own unless it is given.
 */
export function finishAttempt(scope: string, orderToken = attemptOf(scope)?.orderToken): void {
  endAttempt(scope);
  if (orderToken) writeStored('session', finishedKeyOf(scope), orderToken);
}

/** The token of the order that was the last thing to happen in this scope; null when none was finished, or another was begun since. */
export function finishedOf(scope: string): string | null {
  const token = readStored('session', finishedKeyOf(scope));
  return typeof token === 'string' ? token : null;
}
