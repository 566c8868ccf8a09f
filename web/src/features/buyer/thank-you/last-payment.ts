/**
 * Data that the purchase stores for the thank-you page: the order's token and the payment's
 * identifier (decision C-17).
 */
import { LAST_PAYMENT_KEY } from '@/features/buyer/checkout/payment/pay';
import { readStored } from '@/shared/storage';

/**
 * Parameters, a secret among them, that a bank's redirect adds to the address. They are removed
 * from the address and the history (decision C-21).
 */
export function cleanAddress(): void {
  if (new URLSearchParams(window.location.search).has('payment_intent_client_secret'))
    window.history.replaceState(window.history.state, '', window.location.pathname);
}

export interface LastPayment {
  orderToken: string;
  paymentIntentId: string;
  /** The scope of the purchase, so that its attempt can end here. */
  scope: string;
}

/** Reads the session. After a redirect by the buyer's bank, the address names the payment. */
export function lastPayment(): LastPayment | null {
  const stored = readStored('session', LAST_PAYMENT_KEY) as Partial<LastPayment> | null;
  return stored &&
    typeof stored.orderToken === 'string' &&
    typeof stored.paymentIntentId === 'string'
    ? {
        orderToken: stored.orderToken,
        paymentIntentId: stored.paymentIntentId,
        scope: typeof stored.scope === 'string' ? stored.scope : '',
      }
    : null;
}
