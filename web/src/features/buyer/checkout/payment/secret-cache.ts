/**
 * Caches a payment's client secret for two minutes, for the exact contents, and never longer than
 * the reservation (specification line A:188, decision C-15).
 */
import type { IntentResponse } from '@/api/wire';

const KEPT_MS = 120_000;

interface CachedSecret {
  contents: string;
  answer: IntentResponse;
  /** Browser time in milliseconds. */
  until: number;
}

// Only the latest contents of a scope are cached. All contents share one payment, which has been
// resized since.
const kept = new Map<string, CachedSecret>();

const instant = (said: string | number) => (typeof said === 'number' ? said : Date.parse(said));

export function keepSecret(
  scope: string,
  contents: string,
  answer: IntentResponse,
  now = performance.now(),
): void {
  const lasts = Date.parse(answer.expiresAt) - instant(answer.serverTime);
  kept.set(scope, {
    contents,
    answer,
    until: now + Math.min(KEPT_MS, Number.isFinite(lasts) ? lasts : 0),
  });
}

export function keptSecret(
  scope: string,
  contents: string,
  now = performance.now(),
): IntentResponse | null {
  const known = kept.get(scope);
  return known && known.contents === contents && now < known.until ? known.answer : null;
}

/** Drops the secret when the reservation was released, has expired or was bought. */
export const forgetSecret = (scope: string): void => void kept.delete(scope);
