/**
 * Carries out one purchase, from pressing the pay button to the issued tickets. Each step
 * dispatches an event; the checkout's state machine decides what is shown.
 */
import { HttpError, withRetry } from '@/api/http';
import { completePaymentOfUnknownOutcome } from '@/api/endpoints/buyer';
import type { Buyer, CompletionResponse, IntentResponse } from '@/api/wire';
import { writeStored } from '@/shared/storage';
import {
  beginAttempt,
  endAttempt,
  finishAttemptWithTickets,
  saveAttempt,
} from '../state/purchase-attempt';
import {
  declinedError,
  unexpectedError,
  incompleteCardError,
  validationError,
  paymentOpeningError,
  unexpectedStatusError,
  validationRequestError,
} from '../errors/error-catalogue';
import type { CheckoutPage } from '../errors/error-catalogue';
import type {
  CheckoutDispatch,
  CheckoutError,
  CheckoutEvent,
  OpenOrder,
  OrderIds,
  PaymentMethodKind,
} from '../state/checkout';
import type { PaymentConfirmation, PaymentGateway } from './payment-gateway';

/** What is bought: the tickets of a draw or a whole cart. */
export interface Purchase {
  /**
   * Scope of the attempt, which selects its idempotency key. There is one scope per draw and one
   * for the cart.
   */
  scope: string;
  page: CheckoutPage;
  method: PaymentMethodKind;
  buyer: Buyer | null;
  /**
   * Resolves to the problems found. For a draw's card purchase, the server checks the purchase and
   * stores the consents. Other purchases resolve to no problems without a request.
   */
  validate: () => Promise<readonly string[]>;
  open: (clientKey: string) => Promise<IntentResponse>;
  /**
   * Call with which the server confirms the payment, using a confirmation token made in the browser
   * (decision C-5).
   */
  byToken?: (confirmationTokenId: string, order: OpenOrder) => Promise<CompletionResponse>;
  /**
   * Completes the purchase with the order's token. The server accepts buyer details with the token
   * even after the provider's webhook (decision M-1).
   */
  complete: (order: OrderIds) => Promise<CompletionResponse>;
}

/**
 * Storage key of the last payment. The thank-you page finds the order with it even when nothing
 * else was stored (decision C-17).
 */
export const LAST_PAYMENT_STORAGE_KEY = 'lastPayment';

const PAYMENT_MISMATCH_CODE = 'payment-mismatch';

export async function carryOutPurchase(
  purchase: Purchase,
  gateway: PaymentGateway,
  dispatch: CheckoutDispatch,
  onBusy: () => void = () => {},
): Promise<void> {
  dispatch({ type: 'submitted', method: purchase.method });
  const order = await openOrder(purchase, gateway, onBusy).catch((error: CheckoutError) => {
    dispatch({ type: 'refused', error });
    return null;
  });
  if (!order) return;
  dispatch({ type: 'opened', order });
  const { scope } = purchase;
  const attempt = {
    ...beginAttempt(scope),
    orderToken: order.orderToken,
    paymentIntentId: order.paymentIntentId,
  };
  saveAttempt(scope, { ...attempt, paying: true });
  writeStored('session', LAST_PAYMENT_STORAGE_KEY, {
    paymentIntentId: order.paymentIntentId,
    orderToken: order.orderToken,
    scope,
  });

  const outcome = purchase.byToken
    ? await confirmOnServer(purchase, purchase.byToken, gateway, order, onBusy)
    : await confirmWithProvider(purchase, gateway, order);
  if (outcome.type === 'declined') saveAttempt(scope, { ...attempt, paying: false });
  if (outcome.type === 'issued' || outcome.type === 'pending') dispatch({ type: 'authorised' });
  if (outcome.type !== 'authorised') return dispatch(outcome);
  dispatch(outcome);
  dispatch(await issueTickets(purchase, order, onBusy));
}

/**
 * Validates the form and opens the order. A refusal becomes a text for the buyer, because nothing
 * has been charged at this point.
 */
async function openOrder(
  purchase: Purchase,
  gateway: PaymentGateway,
  onBusy: () => void,
): Promise<OpenOrder> {
  const { page, method: source } = purchase;
  const missing = await gateway.submit().catch((error: unknown) => {
    throw unexpectedError(page, error);
  });
  if (missing) throw incompleteCardError(page, missing.message);
  const errors = await purchase.validate().catch((error: unknown) => {
    throw validationRequestError(page, error);
  });
  if (errors.length > 0) throw validationError(errors);
  const { clientKey } = beginAttempt(purchase.scope);
  return withRetry(() => purchase.open(clientKey), onBusy).then(toOpenOrder, (error: unknown) => {
    throw paymentOpeningError(page, source, error);
  });
}

export function toOpenOrder(answer: IntentResponse): OpenOrder {
  const { clientSecret, paymentIntentId, orderToken, reservationId, amount, ticketCount, items } =
    answer;
  return {
    clientSecret,
    paymentIntentId,
    orderToken,
    reservationId,
    amount,
    ticketCount,
    items,
    expiresAt: Date.parse(answer.expiresAt),
  };
}

/** Confirms the payment in the browser, with the provider's own library. */
async function confirmWithProvider(
  purchase: Purchase,
  gateway: PaymentGateway,
  order: OpenOrder,
): Promise<CheckoutEvent> {
  return eventForConfirmation(
    purchase,
    await gateway.confirm(
      order.clientSecret,
      purchase.buyer,
      `${window.location.origin}/thank-you`,
    ),
  );
}

function eventForConfirmation(
  { page, method: source }: Purchase,
  confirmation: PaymentConfirmation,
): CheckoutEvent {
  switch (confirmation.kind) {
    case 'authorised':
      return { type: 'authorised' };
    case 'declined':
      return { type: 'declined', error: declinedError(page, source, confirmation.message) };
    case 'open':
      return { type: 'declined', error: unexpectedStatusError(confirmation.status) };
    case 'unsure':
      return { type: 'unsure' };
  }
}

/**
 * Confirms the payment on the server. The browser only creates the confirmation token and answers
 * the bank's challenge, if any.
 */
async function confirmOnServer(
  purchase: Purchase,
  byToken: NonNullable<Purchase['byToken']>,
  gateway: PaymentGateway,
  order: OpenOrder,
  onBusy: () => void,
): Promise<CheckoutEvent> {
  const { page, method, scope } = purchase;
  const source = await gateway.confirmationToken(purchase.buyer);
  if (source.kind === 'refused')
    return { type: 'declined', error: declinedError(page, method, source.message) };
  try {
    const answer = await withRetry(() => byToken(source.id, order), onBusy);
    if (answer.status === 'requires_action' && answer.clientSecret)
      return eventForConfirmation(purchase, await gateway.nextAction(answer.clientSecret));
    if (answer.status === 'requires_payment_method')
      return { type: 'declined', error: declinedError(page, method, answer.message ?? null) };
    return eventForCompletion(scope, answer, { type: 'pending' });
  } catch (error) {
    // A refusal by the provider (402) or of the request itself (400) leaves the card uncharged.
    if (error instanceof HttpError && (error.status === 402 || error.status === 400))
      return { type: 'declined', error: declinedError(page, method, error.body.message ?? null) };
    return eventForRefusal(scope, error) ?? { type: 'unsure' };
  }
}

/** Asks the server again for the outcome of a payment. Null while the outcome is still unknown. */
export async function pollPaymentOutcome(
  scope: string,
  paymentIntentId: string,
): Promise<CheckoutEvent | 'untouched' | null> {
  try {
    const answer = await completePaymentOfUnknownOutcome(paymentIntentId);
    if (answer.status === 'requires_payment_method') return 'untouched';
    const event = eventForCompletion(scope, answer, { type: 'unsure' });
    return event.type === 'unsure' ? null : event;
  } catch (error) {
    return eventForRefusal(scope, error);
  }
}

/**
 * Returns the event for a refused completion, or null when the error is no refusal. A refusal is
 * final: no tickets are issued, and the buyer is not charged or is refunded. If the payment does
 * not match its order, the outcome stays open, because that case is reviewed manually.
 */
function eventForRefusal(scope: string, error: unknown): CheckoutEvent | null {
  if (
    !(error instanceof HttpError) ||
    (error.body.status !== 'not_charged' && error.status !== 409)
  )
    return null;
  if (error.code === PAYMENT_MISMATCH_CODE)
    return { type: 'unsure', serverMessage: error.body.message };
  endAttempt(scope);
  return {
    type: 'notCharged',
    reason: error.body.message ?? '',
    refunding: error.code === 'refunding',
  };
}

/**
 * Completes the purchase after the provider has authorised the money. From here on, a failure of
 * our server shows "your tickets are being issued", never "try again".
 */
async function issueTickets(
  purchase: Purchase,
  order: OpenOrder,
  onBusy: () => void,
): Promise<CheckoutEvent> {
  try {
    const answer = await withRetry(() => purchase.complete(order), onBusy);
    return eventForCompletion(purchase.scope, answer, { type: 'pending' });
  } catch (error) {
    return eventForRefusal(purchase.scope, error) ?? { type: 'pending' };
  }
}

/**
 * Returns the event for the server's response to a call that completes a purchase. Returns
 * `fallback` when the response is not final.
 */
function eventForCompletion(
  scope: string,
  answer: CompletionResponse,
  fallback: CheckoutEvent,
): CheckoutEvent {
  if (answer.status === 'succeeded') {
    finishAttemptWithTickets(scope);
    return { type: 'issued', tickets: answer.tickets ?? [] };
  }
  if (answer.status === 'not_charged') {
    endAttempt(scope);
    return { type: 'notCharged', reason: answer.message ?? '' };
  }
  return fallback;
}
