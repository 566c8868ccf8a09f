/** What the purchase left behind for the thank-you page: the order's token and the payment's name (decision C-17). */
import { LAST_PAYMENT_KEY } from '@/features/buyer/checkout/pay';
import { readStored } from '@/shared/storage';

/** What a bank's own page brought back in the address, a secret among it, must not stay there or in the history (C-21). */
export function cleanAddress(): void {
  if (new URLSearchParams(window.location.search).has('payment_intent_client_secret'))
    window.history.replaceState(window.history.state, '', window.location.pathname);
}

export interface LastPayment {
  orderToken: string;
  paymentIntentId: string;
  /** Which purchase it was, so that its attempt can end here. */
  scope: string;
}

/** From the session; after a redirect by the buyer's bank the address says which payment it was. */
export function lastPayment(): LastPayment | null {
  const kept = readStored('session', LAST_PAYMENT_KEY) as Partial<LastPayment> | null;
  return kept && typeof kept.orderToken === 'string' && typeof kept.paymentIntentId === 'string'
    ? {
        orderToken: kept.orderToken,
        paymentIntentId: kept.paymentIntentId,
        scope: typeof kept.scope === 'string' ? kept.scope : '',
      }
    : null;
}
