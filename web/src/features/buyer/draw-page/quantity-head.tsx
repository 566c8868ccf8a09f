import { PURCHASE_FIELD_IDS } from '@/features/buyer/checkout/form/purchase-rules';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { Stepper } from '@/shared/ui/stepper';

const QUICK_TICKET_COUNTS = [1, 2, 5, 10];

interface TicketQuantityProps {
  count: number;
  available: number;
  onCount: (count: number) => void;
  disabled: boolean;
  note: string | null;
}

/** Heading and ticket count in one row, with buttons for common counts below. */
export function TicketQuantity({ count, available, onCount, disabled, note }: TicketQuantityProps) {
  const most = Math.min(available, 50);
  return (
    <>
      <div className="buy-head">
        <div>
          <h2 id="purchase-title">{S.purchaseTickets}</h2>
          <p className={note ? 'quantity-note' : undefined} role="status">
            {note ?? `Quantity · ${available} left`}
          </p>
        </div>
        <Stepper
          id={PURCHASE_FIELD_IDS.quantity}
          label="Quantity"
          value={count}
          max={most}
          onValue={onCount}
          disabled={disabled}
        />
      </div>
      <div className="quick" role="group" aria-label="Quick picks">
        {QUICK_TICKET_COUNTS.filter((pick) => pick <= most).map((pick) => (
          <button
            key={pick}
            type="button"
            aria-pressed={pick === count}
            disabled={disabled}
            onClick={() => onCount(pick)}
          >
            {pick}
            <span className="sr"> {pick === 1 ? 'ticket' : 'tickets'}</span>
          </button>
        ))}
        <button
          type="button"
          className="other"
          aria-pressed={!QUICK_TICKET_COUNTS.includes(count)}
          disabled={disabled}
          onClick={() => document.getElementById(PURCHASE_FIELD_IDS.quantity)?.focus()}
        >
          Other
        </button>
      </div>
    </>
  );
}
