import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { TALLY_SLOT_ORDER, slotAnimationDelayMs } from './grid';

const SLOT_BY_SALE_INDEX = TALLY_SLOT_ORDER;
const SALE_INDEX_BY_SLOT: readonly number[] = TALLY_SLOT_ORDER.reduce<number[]>(
  (sales, slot, sale) => ((sales[slot] = sale), sales),
  [],
);
const COUNT_ANNOUNCE_INTERVAL_MS = 10_000;

/**
 * One slot of the grid. A slot renders only when it changes, because a sale touches one of 169
 * slots.
 */
const TallySlot = memo(function TallySlot({
  lit,
  justSold,
  delay,
}: {
  lit: boolean;
  justSold: boolean;
  delay: number | null;
}) {
  const tone = [
    'slot',
    lit && 'is-sold',
    lit && justSold && 'is-just-sold',
    delay !== null && 'is-fresh',
  ]
    .filter(Boolean)
    .join(' ');
  return <i className={tone} style={delay ? { animationDelay: `${delay}ms` } : undefined} />;
});

/** Returns the count for screen readers, which changes at most every ten seconds. */
function useAnnouncedCount(sold: number): number {
  const [spoken, setSpoken] = useState(sold);
  const spokenAt = useRef(0);
  useEffect(() => {
    const wait = Math.max(0, COUNT_ANNOUNCE_INTERVAL_MS - (performance.now() - spokenAt.current));
    const timer = setTimeout(() => {
      spokenAt.current = performance.now();
      setSpoken(sold);
    }, wait);
    return () => clearTimeout(timer);
  }, [sold]);
  return spoken;
}

/**
 * Shows the number of sold tickets as lights. The lights are only a count: no axis, pair or name.
 */
export function TallyGrid({
  sold,
  justSoldFrom = sold,
}: {
  sold: number;
  /** The count from which tickets are just sold. Their lights are white. */
  justSoldFrom?: number;
}) {
  // The counts before and after the last change. Only new lights are animated, one after another.
  const [change, setChange] = useState({ from: sold, to: sold });
  if (change.to !== sold) setChange({ from: change.to, to: sold });
  const spoken = useAnnouncedCount(sold);
  const slots = useMemo(
    () =>
      Array.from({ length: TICKETS_PER_DRAW }, (_, slot) => {
        const sale = SALE_INDEX_BY_SLOT[slot] ?? SLOT_BY_SALE_INDEX.length;
        const fresh = sale >= change.from && sale < change.to;
        return (
          <TallySlot
            key={slot}
            lit={sale < change.to}
            justSold={sale >= justSoldFrom}
            delay={fresh ? slotAnimationDelayMs(sale - change.from, change.to - change.from) : null}
          />
        );
      }),
    [change, justSoldFrom],
  );
  return (
    <div className="tally" role="img" aria-label={`${spoken} of ${TICKETS_PER_DRAW} tickets sold`}>
      {slots}
    </div>
  );
}
