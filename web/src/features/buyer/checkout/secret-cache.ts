/** A payment's secret, kept two minutes for the very contents it was made for, and never longer than its reservation (A:188, C-15). */
import type { IntentAnswer } from '@/api/wire';

const KEPT_MS = 120_000;

interface Kept {
  contents: string;
  answer: IntentAnswer;
  /** Browser milliseconds. */
  until: number;
}

// Only the latest contents of a scope: one payment stands behind them, and it was resized since.
const kept = new Map<string, Kept>();

const instant = (said: string | number) => (typeof said === 'number' ? said : Date.parse(said));

export function keepSecret(
  scope: string,
  contents: string,
  answer: IntentAnswer,
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
): IntentAnswer | null {
  const known = kept.get(scope);
  return known && known.contents === contents && now < known.until ? known.answer : null;
}

/** The reservation was given back, or has lapsed, or was bought. */
export const forgetSecret = (scope: string): void => void kept.delete(scope);
