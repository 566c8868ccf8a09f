import { useAtomValue, useStore } from 'jotai';
import { useState } from 'react';
import { drawAtom, drawListAtom, nowAtom } from '@/features/shared-live/live-atoms';
import { DrawCard } from './draw-card';
import { drawWithBiggestPrize } from './find';

/**
 * The draw with the biggest prize, beside the headline. A draw once shown stays while it is on sale,
 * so that nothing jumps. The server renders the same markup. Phones do not show it.
 */
export function LiveDrawOfTheMoment() {
  const store = useStore();
  const numbers = useAtomValue(drawListAtom('active'));
  const now = useAtomValue(nowAtom);
  const [shown, setShown] = useState<number | null>(null);
  const draws = (numbers ?? []).flatMap((number) => store.get(drawAtom(number)) ?? []);
  const current = draws.filter((draw) => draw.drawNumber === shown);
  const draw = drawWithBiggestPrize(current, now) ?? drawWithBiggestPrize(draws, now);
  if (draw && draw.drawNumber !== shown) setShown(draw.drawNumber);
  if (!draw) return null;
  return (
    <aside className="land-live" aria-label="A live draw">
      <h2 className="land-live-top">Biggest prize now</h2>
      <DrawCard drawNumber={draw.drawNumber} titleId="live-draw-title" />
    </aside>
  );
}
