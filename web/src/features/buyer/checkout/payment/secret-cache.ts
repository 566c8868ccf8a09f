/**
 * Caches a payment's client secret for two minutes, for the exact contents, and never longer than
 * the reservation (specification line A:188, decision C-15).
 */
import type { IntentResponse } from '@/api/wire';

const SECRET_CACHED_MS = 120_000;

interface CachedSecret {
  contents: string;
  answer: IntentResponse;
  /** End of the secret's validity, in milliseconds on the `performance.now()` clock. */
  until: number;
}

// Holds only the latest contents of each scope, because all contents share one payment, which has
// been resized since.
const secretsByScope = new Map<string, CachedSecret>();

const millisecondsOf = (time: string | number) =>
  typeof time === 'number' ? time : Date.parse(time);

export function cacheSecret(
  scope: string,
  contents: string,
  answer: IntentResponse,
  now = performance.now(),
): void {
  const lasts = Date.parse(answer.expiresAt) - millisecondsOf(answer.serverTime);
  secretsByScope.set(scope, {
    contents,
    answer,
    until: now + Math.min(SECRET_CACHED_MS, Number.isFinite(lasts) ? lasts : 0),
  });
}

export function cachedSecret(
  scope: string,
  contents: string,
  now = performance.now(),
): IntentResponse | null {
  const cached = secretsByScope.get(scope);
  return cached && cached.contents === contents && now < cached.until ? cached.answer : null;
}

/** Drops the secret when the reservation was released, has expired or was bought. */
export const dropCachedSecret = (scope: string): void => void secretsByScope.delete(scope);
