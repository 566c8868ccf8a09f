/**
 * The time left of a reservation, and when screen readers announce it (interface decision D6; WCAG
 * 2.2.1). Pure.
 */

export const EXPIRY_WARNING_SECONDS = 30;

export function secondsUntilExpiry(expiresAt: number, nowMs: number): number {
  return Math.max(0, Math.ceil((expiresAt - nowMs) / 1000));
}

/** Formats seconds as `1:07`. */
export function formatClock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/**
 * Returns the announcement for screen readers, or null. There is one at 1:00, 0:30 and 0:15, and
 * each second in the last ten.
 */
export function expiryAnnouncementAt(seconds: number, canExtend = true): string | null {
  if (seconds === 60) return 'One minute left to pay';
  if (seconds === 30)
    return canExtend ? '30 seconds left. You can keep your tickets for longer.' : '30 seconds left';
  if (seconds === 15) return '15 seconds left';
  if (seconds > 0 && seconds <= 10) return `${seconds}`;
  return null;
}
