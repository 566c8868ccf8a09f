/** The time until kick-off as text and as a colour band, with a text for each band. */
import { isSameDay } from '@/shared/dates';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export type UrgencyBand = 'green' | 'yellow' | 'orange' | 'red';

/**
 * Bands of landing cards: red under 1 hour, orange under 6 hours, yellow on the same day, green
 * after (specification line A:178).
 */
export function landingCardUrgencyBand(
  nowMs: number,
  kickOffMs: number,
  timezone?: string | null,
): UrgencyBand {
  const left = kickOffMs - nowMs;
  if (left < HOUR_MS) return 'red';
  if (left < 6 * HOUR_MS) return 'orange';
  return isSameDay(nowMs, kickOffMs, timezone) ? 'yellow' : 'green';
}

/**
 * Bands of other views: green above 24 hours, yellow within 24, orange within 6, red within 1
 * (specification line A:178).
 */
export function pageUrgencyBand(nowMs: number, kickOffMs: number): UrgencyBand {
  const left = kickOffMs - nowMs;
  if (left > DAY_MS) return 'green';
  if (left > 6 * HOUR_MS) return 'yellow';
  return left > HOUR_MS ? 'orange' : 'red';
}

export const URGENCY_BAND_TEXTS: Record<UrgencyBand, string> = {
  green: 'plenty of time',
  yellow: 'closing within a day',
  orange: 'closing within hours',
  red: 'closing very soon',
};

const twoDigits = (value: number) => String(value).padStart(2, '0');

/** Formats a time as `3d 4h`, `2h 14m`, and `01:23` under an hour. */
export function timeLeftText(leftMs: number): string {
  const left = Math.max(0, leftMs);
  if (left >= DAY_MS)
    return `${Math.floor(left / DAY_MS)}d ${Math.floor((left % DAY_MS) / HOUR_MS)}h`;
  if (left >= HOUR_MS)
    return `${Math.floor(left / HOUR_MS)}h ${Math.floor((left % HOUR_MS) / MINUTE_MS)}m`;
  const seconds = Math.ceil(left / 1000);
  return `${twoDigits(Math.floor(seconds / 60))}:${twoDigits(seconds % 60)}`;
}

/**
 * Formats a time for boards as `02:14:09`. Days appear only when there are any. The time stops at
 * zero (specification line A:138).
 */
export function clockTimeLeftText(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  const days = Math.floor(seconds / 86_400);
  const clock = [
    Math.floor((seconds % 86_400) / 3600),
    Math.floor((seconds % 3600) / 60),
    seconds % 60,
  ]
    .map(twoDigits)
    .join(':');
  return days > 0 ? `${days}d ${clock}` : clock;
}
