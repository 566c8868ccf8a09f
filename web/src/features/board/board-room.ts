/** What a screen on a wall needs that a phone does not: it stays awake, does not burn in, and renews itself. */
import { useAtomValue } from 'jotai';
import { useEffect, useRef, useState } from 'react';
import { buildVersionAtom } from '@/features/shared-live/live-atoms';

/** Keeps the screen on; asked for again whenever the page is looked at again. */
export function useWakeLock(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | undefined;
    const ask = async () => {
      if (document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
      // Refused on battery saving, for example; the board works without.
      lock = await navigator.wakeLock.request('screen').catch(() => undefined);
    };
    void ask();
    document.addEventListener('visibilitychange', ask);
    return () => {
      document.removeEventListener('visibilitychange', ask);
      void lock?.release();
    };
  }, []);
}

const DRIFT_MS = 5 * 60_000;
const DRIFTS = ['0, 0', '4px, 0', '4px, 4px', '0, 4px', '-4px, 0', '-4px, -4px', '0, -4px'];

/** Moves everything by up to 4 px every five minutes, against burn-in. */
export function useDrift(): string {
  const [step, setStep] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setStep((last) => (last + 1) % DRIFTS.length), DRIFT_MS);
    return () => clearInterval(timer);
  }, []);
  return `translate(${DRIFTS[step]})`;
}

const RENEWAL_HOUR = 4;

/** Milliseconds to the next 04:00 on the device's clock, with up to ten minutes of chance so that a town does not reload at once. */
export function untilRenewal(now: Date, chance: number): number {
  const next = new Date(now);
  next.setHours(RENEWAL_HOUR, 0, 0, 0);
  if (next <= now) next.setDate(next.getDate() + 1);
  return next.getTime() - now.getTime() + chance * 600_000;
}

/** Reloads at night and when the server runs a new build. */
export function useRenewal(): void {
  const version = useAtomValue(buildVersionAtom);
  const first = useRef(version);
  useEffect(() => {
    const timer = setTimeout(() => window.location.reload(), untilRenewal(new Date(), Math.random()));
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (version === null) return;
    if (first.current === null) first.current = version;
    else if (first.current !== version) window.location.reload();
  }, [version]);
}
