import { useAtomValue } from 'jotai';
import { useState } from 'react';
import { configAtom } from '@/features/shared-live/live-atoms';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { decimalToCents, formatDollars, type Cents } from '@/shared/money';
import type { DrawFields } from './draw-rules';
import { computeRevenue } from './revenue';

const SOLD_COUNT_CHOICES = [40, 85, 127, TICKETS_PER_DRAW];
const signedDollarsText = (amount: Cents): string =>
  amount < 0 ? `−${formatDollars(-amount)}` : formatDollars(amount);

function useRevenueBreakdown(fields: DrawFields, sold: number) {
  const config = useAtomValue(configAtom);
  const { prizePercentage, roundUpPrize, passStripeFees } = fields;
  return computeRevenue(
    { price: decimalToCents(fields.ticketPrice), prizePercentage, roundUpPrize, passStripeFees },
    sold,
    { rateBps: config?.feeRateBps ?? 0, capCents: config?.feeCapCents ?? 0 },
  );
}

/**
 * Estimates the club's revenue while the user types: beside the form on wide screens, below it on
 * narrow ones.
 */
export function RevenuePanel({ fields }: { fields: DrawFields }) {
  const [sold, setSold] = useState(TICKETS_PER_DRAW);
  const sums = useRevenueBreakdown(fields, sold);
  const rows: [string, Cents][] = [
    [`${sold} × ${formatDollars(decimalToCents(fields.ticketPrice))}`, sums.revenue],
    ['Platform fee', -sums.platformFee],
    ['Card processing fees, estimated', -sums.cardFees],
  ];
  return (
    <section className="card revenue" aria-labelledby="revenue-title">
      <h2 id="revenue-title">Revenue breakdown</h2>
      <div className="quick" role="group" aria-label="Tickets sold">
        {SOLD_COUNT_CHOICES.map((choice) => (
          <button
            key={choice}
            type="button"
            aria-pressed={choice === sold}
            onClick={() => setSold(choice)}
          >
            {choice}
          </button>
        ))}
      </div>
      <div aria-live="polite">
        {rows.map(([name, amount]) => (
          <p className="sum-row" key={name}>
            <span>{name}</span>
            <span className="num">{signedDollarsText(amount)}</span>
          </p>
        ))}
        <p className="sum-row total">
          <span>Club receives</span>
          <span>{signedDollarsText(sums.receives)}</span>
        </p>
        <p className="sum-row">
          <span>Prize to the winner</span>
          <span className="num">{signedDollarsText(-sums.prize)}</span>
        </p>
        <p className="sum-row total">
          <span>Club keeps</span>
          <span>{signedDollarsText(sums.keeps)}</span>
        </p>
      </div>
      <p className="meta">
        {fields.passStripeFees
          ? 'Buyers pay the card fees.'
          : 'Card fees are 1.70% plus $0.30 a payment; the number of payments is estimated.'}
      </p>
    </section>
  );
}

/** One line above the button on a narrow screen: 'Club receives $x at 169 sold'. */
export function RevenueSummaryLine({ fields }: { fields: DrawFields }) {
  const { receives } = useRevenueBreakdown(fields, TICKETS_PER_DRAW);
  return (
    <p className="revenue-line">
      Club receives <strong className="num">{signedDollarsText(receives)}</strong> at{' '}
      {TICKETS_PER_DRAW} sold
    </p>
  );
}
