import { useEffect, useState } from 'react';

const COUNT_MS = 700;

/** A number that counts from 1 to its value, once, from so many milliseconds on; at once for whoever wants no motion. */
export function useCountUp(value: number, fromMs: number, playing: boolean): number {
  const [shown, setShown] = useState(() =>
    playing && !window.matchMedia('(prefers-reduced-motion: reduce)').matches ? 1 : value,
  );
  useEffect(() => {
    if (!playing || window.matchMedia('(prefers-reduced-motion: reduce)').matches) return;
    const timers = Array.from({ length: value }, (_, step) =>
      setTimeout(() => setShown(step + 1), fromMs + (COUNT_MS / value) * step),
    );
    return () => timers.forEach(clearTimeout);
  }, [value, fromMs, playing]);
  return playing ? shown : value;
}
