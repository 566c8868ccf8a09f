import { orderReference } from './order-reference';
import { useAtomValue } from 'jotai';
import { configAtom } from '@/features/shared-live/live-atoms';
import { ticketsNotAllocatedError } from '../errors/error-catalogue';
import {
  CONFIRMING_PAYMENT_TITLE,
  chargeOutcomeText,
  confirmingPaymentText,
} from '../state/checkout';
import type { Checkout } from '../state/checkout';
import { TICKETS_ISSUING_TOAST } from '../state/use-checkout';

interface OutcomePanelProps {
  checkout: Checkout;
  onRetry: () => void;
}

/**
 * Whether the outcome panel replaces the form, because a payment is being confirmed, waits for its
 * tickets or ended without tickets.
 */
export const hasOutcome = (checkout: Checkout): boolean =>
  ['confirming', 'pending', 'lost', 'notCharged'].includes(checkout.state);

/**
 * Explains a payment whose tickets were not issued at once: first what happened to the money, then
 * what happens next.
 */
export function OutcomePanel({ checkout, onRetry }: OutcomePanelProps) {
  const config = useAtomValue(configAtom);
  const help = config ? (
    <p>
      Questions? <a href={`mailto:${config.supportEmail}`}>{config.supportEmail}</a> or text{' '}
      {config.supportSms}.
    </p>
  ) : null;
  if (checkout.state === 'pending') {
    return (
      <div className="panel" role="status">
        <h2>{TICKETS_ISSUING_TOAST.title}</h2>
        <p>{TICKETS_ISSUING_TOAST.text}</p>
        <p>
          Reference: <strong>{orderReference(checkout.order.paymentIntentId)}</strong>
        </p>
        {help}
      </div>
    );
  }
  if (checkout.state === 'confirming' || checkout.state === 'lost') {
    return (
      <div className="panel" role="status">
        <h2>{CONFIRMING_PAYMENT_TITLE}</h2>
        {checkout.state === 'confirming' ? <span className="spinner" aria-hidden="true" /> : null}
        <p>{confirmingPaymentText(checkout)}</p>
        <p>
          Reference: <strong>{orderReference(checkout.order.paymentIntentId)}</strong>
        </p>
        {help}
      </div>
    );
  }
  if (checkout.state !== 'notCharged') return null;
  return (
    <div className="panel" role="alert">
      <h2>{ticketsNotAllocatedError.title}</h2>
      <p>No tickets were bought. {chargeOutcomeText(checkout.reason, checkout.refunding)}</p>
      <button type="button" className="btn" onClick={onRetry}>
        Back to the draw
      </button>
    </div>
  );
}
