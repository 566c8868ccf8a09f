import { useEffect, useState } from 'react';

/** Milliseconds within which all streamers have fallen. The longest delay and fall are shorter. */
const FALLEN_AFTER_MS = 3_200;
/** Number of streamers. More would not be seen on a club's old computer, but would cost it frames. */
const STREAMERS = 60;
const COLOURS = ['var(--board-accent)', '#fff', 'var(--board-away)'];

/** Returns a part of 1 that looks random and is the same for every board. */
const spread = (at: number, factor: number) => (at * factor) % 1;

/**
 * Paper streamers that fall once, within three seconds, after a winner was revealed. They lie behind
 * texts and code. With reduced motion, nothing falls.
 */
export function Streamers() {
  const [falling, setFalling] = useState(
    () => !window.matchMedia('(prefers-reduced-motion: reduce)').matches,
  );
  useEffect(() => {
    const timer = setTimeout(() => setFalling(false), FALLEN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  if (!falling) return null;
  return (
    <div className="streamers" aria-hidden="true">
      {Array.from({ length: STREAMERS }, (_, at) => (
        <i
          key={at}
          style={
            {
              '--x': spread(at + 1, 0.618_034).toFixed(3),
              '--delay': `${Math.round(spread(at + 1, 0.754_878) * 1_200)}ms`,
              '--turn': `${Math.round(spread(at + 1, 0.569_84) * 720 - 360)}deg`,
              '--drift': spread(at + 1, 0.324_718).toFixed(3),
              background: COLOURS[at % COLOURS.length],
            } as React.CSSProperties
          }
        />
      ))}
    </div>
  );
}
