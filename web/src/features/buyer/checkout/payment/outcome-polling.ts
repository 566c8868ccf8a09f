/** Polls the outcome of a payment for the checkout and for the thank-you page. */
import type { CheckoutEvent } from '../state/checkout';
import { pollPaymentOutcome } from './pay';

const OUTCOME_POLL_INTERVAL_MS = 4_000;
/**
 * Number of "no card accepted" responses in a row that count as final. The first may come just
 * before the provider has finished.
 */
const NO_CARD_RESPONSES_UNTIL_FINAL = 2;

/**
 * Asks the server at once and then every four seconds to complete the payment, which is idempotent.
 * Reports each known outcome, and `untouched` once it is final. Any other result, also a failed
 * request, restarts the count. Returns a function that stops polling.
 */
export function startOutcomePolling(
  scope: string,
  paymentIntentId: string,
  onOutcome: (outcome: CheckoutEvent | 'untouched') => void,
): () => void {
  let noCardResponses = 0;
  let stopped = false;
  const poll = async () => {
    const outcome = await pollPaymentOutcome(scope, paymentIntentId);
    if (stopped) return;
    noCardResponses = outcome === 'untouched' ? noCardResponses + 1 : 0;
    if (outcome === null) return;
    if (outcome !== 'untouched' || noCardResponses >= NO_CARD_RESPONSES_UNTIL_FINAL)
      onOutcome(outcome);
  };
  void poll();
  const timer = setInterval(() => void poll(), OUTCOME_POLL_INTERVAL_MS);
  return () => {
    stopped = true;
    clearInterval(timer);
  };
}
