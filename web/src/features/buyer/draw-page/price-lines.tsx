import { useEffect, useState } from 'react';
import { decimalToCents, formatDollars, type Price } from '@/shared/money';
import { PUBLIC_TEXTS as S } from '@/shared/strings';

const TOTAL_ANNOUNCE_DELAY_MS = 600;

/** The price lines. Screen readers announce the total once it stops changing. */
export function PriceLines({
  ticket,
  count,
  price,
  feeText = S.paymentProcessingFees,
}: {
  ticket: string;
  count: number;
  price: Price;
  feeText?: string;
}) {
  const [spoken, setSpoken] = useState('');
  const total = formatDollars(price.total);
  useEffect(() => {
    const timer = setTimeout(() => setSpoken(`Total ${total}`), TOTAL_ANNOUNCE_DELAY_MS);
    return () => clearTimeout(timer);
  }, [total]);
  return (
    <div className="price-lines">
      <div className="sum-row">
        <span>
          {count} × {formatDollars(decimalToCents(ticket))}
        </span>
        <span>{formatDollars(price.subtotal)}</span>
      </div>
      {price.cardFee > 0 ? (
        <div className="sum-row">
          <span>{feeText}</span>
          <span>{formatDollars(price.cardFee)}</span>
        </div>
      ) : null}
      <div className="sum-row total">
        <span>Total</span>
        <span>{total}</span>
      </div>
      <span className="sr" aria-live="polite">
        {spoken}
      </span>
    </div>
  );
}
