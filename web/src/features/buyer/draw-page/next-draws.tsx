import { useAtomValue, useStore } from 'jotai';
import { Link } from 'wouter';
import type { Draw } from '@/api/wire';
import { drawAtom, drawListAtom } from '@/features/shared-live/live-atoms';
import { useLiveDrawList } from '@/features/shared-live/use-live';
import { dayAndTime } from '@/shared/dates';
import { decimalToCents } from '@/shared/money';
import { FormattedAmount } from '@/shared/ui/formatted-amount';

const NEXT_DRAWS_SHOWN = 3;

/** Returns the draws to offer after this one: the club's own first, then those of other clubs. */
export function nextDraws(after: Draw, active: readonly Draw[]): Draw[] {
  const others = active.filter((draw) => draw.drawNumber !== after.drawNumber);
  const isOwn = (draw: Draw) => draw.clubId === after.clubId;
  return [...others.filter(isOwn), ...others.filter((draw) => !isOwn(draw))].slice(
    0,
    NEXT_DRAWS_SHOWN,
  );
}

/** Draws on sale, shown where this draw sells nothing any more. */
export function NextDraws({ after }: { after: Draw }) {
  useLiveDrawList('active');
  const store = useStore();
  const numbers = useAtomValue(drawListAtom('active')) ?? [];
  const active = numbers.map((number) => store.get(drawAtom(number))).filter((draw) => !!draw);
  const shown = nextDraws(after, active);
  if (shown.length === 0) return null;
  return (
    <section className="card next-draws" aria-labelledby="next-title">
      <h2 id="next-title">Next draws</h2>
      <ul>
        {shown.map((draw) => (
          <li key={draw.drawNumber}>
            <Link href={`/draw/${draw.drawNumber}`}>
              {draw.homeTeam} v {draw.awayTeam}
            </Link>
            <span className="num">
              <span className="sr">Prize pool </span>
              <FormattedAmount of={decimalToCents(draw.currentPrize)} />
            </span>
            <span className="meta">{dayAndTime(draw.gameDate, draw.timezone)}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
