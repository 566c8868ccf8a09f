/** Keeps a wall screen awake and protects it against burn-in. */
import { useEffect, useState } from 'react';

/**
 * Keeps the screen on. The browser releases the wake lock when the page is hidden, so the lock is
 * requested again when the page is visible.
 */
export function useWakeLock(): void {
  useEffect(() => {
    let lock: WakeLockSentinel | undefined;
    const ask = async () => {
      if (document.visibilityState !== 'visible' || !('wakeLock' in navigator)) return;
      // The browser may refuse, for example to save battery. The board works without a wake lock.
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

const BURN_IN_SHIFT_INTERVAL_MS = 5 * 60_000;
const BURN_IN_SHIFT_OFFSETS = [
  '0, 0',
  '4px, 0',
  '4px, 4px',
  '0, 4px',
  '-4px, 0',
  '-4px, -4px',
  '0, -4px',
];

/**
 * Returns the offset that moves the whole board by up to 4 px every five minutes, against burn-in.
 */
export function useBurnInShift(): string {
  const [step, setStep] = useState(0);
  useEffect(() => {
    const timer = setInterval(
      () => setStep((last) => (last + 1) % BURN_IN_SHIFT_OFFSETS.length),
      BURN_IN_SHIFT_INTERVAL_MS,
    );
    return () => clearInterval(timer);
  }, []);
  return `translate(${BURN_IN_SHIFT_OFFSETS[step]})`;
}
