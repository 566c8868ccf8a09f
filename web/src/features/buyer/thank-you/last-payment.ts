/**
 * Data that the purchase stores for the thank-you page: the order's token, the payment's id and the
 * purchase's scope (decision C-17).
 */
import { LAST_PAYMENT_STORAGE_KEY } from '@/features/buyer/checkout/payment/pay';
import { readStored } from '@/shared/storage';

/**
 * Removes the parameters of a bank's redirect from the URL, because one of them is a secret
 * (decision C-21).
 */
export function removeRedirectParameters(): void {
  if (new URLSearchParams(window.location.search).has('payment_intent_client_secret'))
    window.history.replaceState(window.history.state, '', window.location.pathname);
}

export interface LastPayment {
  orderToken: string;
  paymentIntentId: string;
  /** Scope of the purchase. The thank-you page ends the attempt of this scope. */
  scope: string;
}

/** Reads the last payment from session storage. Null when it is missing or malformed. */
export function readLastPayment(): LastPayment | null {
  const stored = readStored('session', LAST_PAYMENT_STORAGE_KEY) as Partial<LastPayment> | null;
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
