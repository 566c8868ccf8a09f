/** What a screen on a wall needs that a phone does not: it stays awake and does not burn in. */
import { useEffect, useState } from 'react';

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
