/**
 * Caches the response that opened a payment, with its client secret, for two minutes and never
 * longer than the reservation. The response is reused only for an unchanged selection of tickets
 * (specification line A:188, decision C-15).
 */
import type { IntentResponse } from '@/api/wire';

const INTENT_RESPONSE_CACHED_MS = 120_000;

interface CachedIntentResponse {
  contents: string;
  answer: IntentResponse;
  /** End of the response's validity, in milliseconds on the `performance.now()` clock. */
  until: number;
}

// Holds one response per scope, for the latest selection of tickets. Each change of the selection
// resizes the scope's single payment, so an older response is outdated.
const responsesByScope = new Map<string, CachedIntentResponse>();

const toMilliseconds = (time: string | number) =>
  typeof time === 'number' ? time : Date.parse(time);

export function cacheIntentResponse(
  scope: string,
  contents: string,
  answer: IntentResponse,
  now = performance.now(),
): void {
  const lasts = Date.parse(answer.expiresAt) - toMilliseconds(answer.serverTime);
  responsesByScope.set(scope, {
    contents,
    answer,
    until: now + Math.min(INTENT_RESPONSE_CACHED_MS, Number.isFinite(lasts) ? lasts : 0),
  });
}

export function readCachedIntentResponse(
  scope: string,
  contents: string,
  now = performance.now(),
): IntentResponse | null {
  const cached = responsesByScope.get(scope);
  return cached && cached.contents === contents && now < cached.until ? cached.answer : null;
}

export const dropCachedIntentResponse = (scope: string): void =>
  void responsesByScope.delete(scope);
