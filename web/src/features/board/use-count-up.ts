import { useEffect, useState } from 'react';

const COUNT_UP_DURATION_MS = 700;

/**
 * Counts from 1 to the value once, after a delay in milliseconds. With reduced motion the value is
 * shown at once.
 */
export function useCountUp(value: number, fromMs: number, playing: boolean): number {
  const [shown, setShown] = useState(() =>
    playing && !window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : value,
  );
  useEffect(() => {
    if (!playing || window.matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const timers = Array.from({ length: value }, (_, step) =>
      setTimeout(() => setShown(step + 1), fromMs + (COUNT_UP_DURATION_MS / value) * step),
    );
    return () => timers.forEach(clearTimeout);
  }, [value, fromMs, playing]);
  return playing ? shown : value;
}
