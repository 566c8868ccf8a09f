/** Follows the sales of a board: tickets just sold, and numbers that count up. */
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { LIVE_AGE_MS_MAX } from '@/features/shared-live/freshness';
import { useServerContact } from '@/features/shared-live/server-contact';

/** How long a sold ticket counts as just sold. */
const JUST_SOLD_MS = 8_000;

/**
 * Returns the count from which tickets are just sold, which equals `sold` when none is. A change
 * that arrives after an outage is not a sale of this moment, so it does not count.
 */
export function useRecentSales(sold: number, isLive: boolean): number {
  const [firstRecent, setFirstRecent] = useState(sold);
  const last = useRef({ sold, isLive });
  const timers = useRef(new Set<ReturnType<typeof setTimeout>>());
  useLayoutEffect(() => {
    const before = last.current;
    last.current = { sold, isLive };
    if (sold === before.sold) return;
    if (sold < before.sold || !before.isLive) {
      setFirstRecent(sold);
      return;
    }
    const timer = setTimeout(() => {
      timers.current.delete(timer);
      setFirstRecent((first) => Math.max(first, sold));
    }, JUST_SOLD_MS);
    timers.current.add(timer);
  }, [sold, isLive]);
  useEffect(() => {
    const running = timers.current;
    return () => running.forEach(clearTimeout);
  }, []);
  return Math.min(firstRecent, sold);
}

const ROLL_DURATION_MS = 600;

/**
 * Returns a number that counts from the old value to the new one in 0.6 s. With reduced motion the
 * new value is shown at once.
 */
export function useRollingNumber(value: number): number {
  const [shown, setShown] = useState(value);
  const current = useRef(value);
  useEffect(() => {
    const from = current.current;
    if (from === value) return;
    const isReduced = window.matchMedia('(prefers-reduced-motion: reduce)').matches;
    const startedAt = performance.now();
    let frame = 0;
    const step = () => {
      const part = isReduced ? 1 : Math.min(1, (performance.now() - startedAt) / ROLL_DURATION_MS);
      current.current = part === 1 ? value : Math.round(from + (value - from) * part);
      setShown(current.current);
      if (part < 1) frame = requestAnimationFrame(step);
    };
    frame = requestAnimationFrame(step);
    return () => cancelAnimationFrame(frame);
  }, [value]);
  return shown;
}

/** Returns the count from which tickets are just sold, and how many are. */
export function useSales(sold: number): { firstRecent: number; justSold: number } {
  const { agoMs, online } = useServerContact();
  const firstRecent = useRecentSales(sold, online && agoMs !== null && agoMs <= LIVE_AGE_MS_MAX);
  return { firstRecent, justSold: sold - firstRecent };
}
