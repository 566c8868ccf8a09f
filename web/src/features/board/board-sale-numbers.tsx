import { Suspense, lazy } from 'react';
import { formatWholeDollars, type Cents } from '@/shared/money';
import { BoardTimer, type SalePeriod } from './board-timer';
import { BoardAmount } from './fitted-text';
import { useRollingNumber } from './use-sales';

/** The prize, which is the largest text of a board. */
export function BoardPrize({ label, amount }: { label: string; amount: Cents }) {
  const shown = useRollingNumber(Math.floor(amount / 100)) * 100;
  return (
    <div className="board-prize">
      <p className="board-label">{label}</p>
      <BoardAmount className="board-prize-amount" amount={formatWholeDollars(shown)} />
    </div>
  );
}

/** Tickets sold, the time left and a bar of the share sold. */
export function BoardSaleNumbers({
  sold,
  cap,
  times,
}: {
  sold: number;
  cap: number | null;
  times: SalePeriod;
}) {
  const shown = useRollingNumber(sold);
  return (
    <div className="board-numbers">
      <dl className="board-stats">
        <div className="board-sold">
          <dt className="board-label">Tickets sold</dt>
          <dd className="num">
            {shown}
            {cap ? <span className="board-of"> / {cap}</span> : null}
          </dd>
        </div>
        <BoardTimer times={times} />
      </dl>
      {cap ? (
        <div className="board-bar" aria-hidden="true">
          <span style={{ '--part': Math.min(1, sold / cap) } as React.CSSProperties} />
        </div>
      ) : null}
    </div>
  );
}

const SaleSound = lazy(() =>
  import('./sale-sound').then((module) => ({ default: module.SaleSound })),
);

/** Says how many tickets were sold in the last seconds, without a name. Nothing when none was. */
export function JustSold({ count, sound }: { count: number; sound: boolean }) {
  return (
    <>
      {count > 0 ? (
        <p className="board-just-sold">
          <i className="grid-legend-cell is-sold" aria-hidden="true" />
          {count} {count === 1 ? 'ticket' : 'tickets'} just sold
        </p>
      ) : null}
      {sound ? (
        <Suspense>
          <SaleSound justSold={count} />
        </Suspense>
      ) : null}
    </>
  );
}
