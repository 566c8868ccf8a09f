/**
 * Runs one purchase from the button to the tickets. Each step dispatches an event; none decides
 * what is shown.
 */
import { Problem, withRetry } from '@/api/http';
import { finishPayment } from '@/api/endpoints/buyer';
import type { Buyer, CompletionAnswer, IntentAnswer } from '@/api/wire';
import { writeStored } from '@/shared/storage';
import { beginAttempt, endAttempt, finishAttempt, noteAttempt } from './attempt';
import {
  declined,
  exception,
  incomplete,
  invalid,
  notOpened,
  notSucceeded,
  notValidated,
  type CheckoutPage,
} from './catalogue';
import type { CheckoutEvent, OpenOrder, CheckoutProblem, PaymentMethodKind } from './checkout';
import type { Confirmation, PaymentSurface } from './payment-surface';

/** Identifies an order and proves that it belongs to the buyer. */
export type Paid = Pick<OpenOrder, 'paymentIntentId' | 'orderToken'>;

/** What is bought: the tickets of a draw or a whole cart. */
export interface Purchase {
  /** The scope of the attempt. There is one key per draw and one for the cart. */
  scope: string;
  place: CheckoutPage;
  way: PaymentMethodKind;
  buyer: Buyer | null;
  /**
   * The server's check of details and consents, which the server records. Returns the problem, or
   * nothing.
   */
  validate: () => Promise<readonly string[]>;
  open: (clientKey: string) => Promise<IntentAnswer>;
  /**
   * The call in which the server confirms the payment, with a payment method made in the browser
   * (decision C-5).
   */
  byMethod?: (paymentMethodId: string, order: OpenOrder) => Promise<CompletionAnswer>;
  /**
   * Completes with the order's token. The server accepts buyer details with it even when the
   * provider's webhook came first (decision M-1).
   */
  complete: (order: Paid) => Promise<CompletionAnswer>;
}

/** Lets the thank-you page find the order even when nothing else was stored (decision C-17). */
export const LAST_PAYMENT_KEY = 'lastPayment';

const MISMATCH = 'payment-mismatch';

type Dispatch = (event: CheckoutEvent) => void;

export async function pay(
  purchase: Purchase,
  surface: PaymentSurface,
  dispatch: Dispatch,
  onBusy: () => void = () => {},
): Promise<void> {
  dispatch({ is: 'submitted', way: purchase.way });
  const order = await reserve(purchase, surface, onBusy).catch((trouble: CheckoutProblem) => {
    dispatch({ is: 'refused', trouble });
    return null;
  });
  if (!order) return;
  dispatch({ is: 'opened', order });
  const { scope } = purchase;
  const attempt = {
    ...beginAttempt(scope),
    orderToken: order.orderToken,
    paymentIntentId: order.paymentIntentId,
  };
  noteAttempt(scope, { ...attempt, paying: true });
  writeStored('session', LAST_PAYMENT_KEY, {
    paymentIntentId: order.paymentIntentId,
    orderToken: order.orderToken,
    scope,
  });

  const outcome = purchase.byMethod
    ? await throughServer(purchase, purchase.byMethod, surface, order, onBusy)
    : await throughProvider(purchase, surface, order);
  if (outcome.is === 'declined') noteAttempt(scope, { ...attempt, paying: false });
  if (outcome.is === 'issued' || outcome.is === 'pending') dispatch({ is: 'authorised' });
  if (outcome.is !== 'authorised') return dispatch(outcome);
  dispatch(outcome);
  dispatch(await issue(purchase, order, onBusy));
}

/** Turns a refusal into a text for the buyer. Nothing has been charged at this point. */
async function reserve(
  purchase: Purchase,
  surface: PaymentSurface,
  onBusy: () => void,
): Promise<OpenOrder> {
  const { place, way } = purchase;
  const missing = await surface.submit().catch((error: unknown) => {
    throw exception(place, error);
  });
  if (missing) throw incomplete(place, missing.message);
  const errors = await purchase.validate().catch((error: unknown) => {
    throw notValidated(place, error);
  });
  if (errors.length > 0) throw invalid(errors);
  const { clientKey } = beginAttempt(purchase.scope);
  return withRetry(() => purchase.open(clientKey), onBusy).then(openOrder, (error: unknown) => {
    throw notOpened(place, way, error);
  });
}

export function openOrder(answer: IntentAnswer): OpenOrder {
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

/** Confirms with the provider's own library. */
async function throughProvider(
  purchase: Purchase,
  surface: PaymentSurface,
  order: OpenOrder,
): Promise<CheckoutEvent> {
  return confirmed(
    purchase,
    await surface.confirm(
      order.clientSecret,
      purchase.buyer,
      `${window.location.origin}/thank-you`,
    ),
  );
}

function confirmed({ place, way }: Purchase, confirmation: Confirmation): CheckoutEvent {
  switch (confirmation.kind) {
    case 'authorised':
      return { is: 'authorised' };
    case 'declined':
      return { is: 'declined', trouble: declined(place, way, confirmation.message) };
    case 'open':
      return { is: 'declined', trouble: notSucceeded(confirmation.status) };
    case 'unsure':
      return { is: 'unsure' };
  }
}

/**
 * Confirms on the server. The browser only creates the payment method and answers the bank's
 * challenge, if any.
 */
async function throughServer(
  purchase: Purchase,
  byMethod: NonNullable<Purchase['byMethod']>,
  surface: PaymentSurface,
  order: OpenOrder,
  onBusy: () => void,
): Promise<CheckoutEvent> {
  const { place, way, scope } = purchase;
  const method = await surface.method(purchase.buyer);
  if (method.kind === 'refused')
    return { is: 'declined', trouble: declined(place, way, method.message) };
  try {
    const answer = await withRetry(() => byMethod(method.id, order), onBusy);
    if (answer.status === 'requires_action' && answer.clientSecret)
      return confirmed(purchase, await surface.nextAction(answer.clientSecret));
    if (answer.status === 'requires_payment_method')
      return { is: 'declined', trouble: declined(place, way, answer.message ?? null) };
    return decided(scope, answer, { is: 'pending' });
  } catch (error) {
    // A refusal by the provider (402) or of the request itself (400) leaves the card uncharged.
    if (error instanceof Problem && (error.status === 402 || error.status === 400))
      return { is: 'declined', trouble: declined(place, way, error.said.message ?? null) };
    return refusedFor(scope, error) ?? { is: 'unsure' };
  }
}

/** Requests the outcome of a payment again. Null while it is still unknown. */
export async function askAgain(
  scope: string,
  paymentIntentId: string,
): Promise<CheckoutEvent | 'untouched' | null> {
  try {
    const answer = await finishPayment(paymentIntentId);
    if (answer.status === 'requires_payment_method') return 'untouched';
    const event = decided(scope, answer, { is: 'unsure' });
    return event.is === 'unsure' ? null : event;
  } catch (error) {
    return refusedFor(scope, error);
  }
}

/**
 * Handles a refusal to complete. It is final: no tickets are issued and no money is kept. If the
 * payment does not match its order, the outcome stays open, because that case is reviewed manually.
 * Null when the error is no refusal.
 */
function refusedFor(scope: string, error: unknown): CheckoutEvent | null {
  if (!(error instanceof Problem) || (error.said.status !== 'not_charged' && error.status !== 409))
    return null;
  if (error.code === MISMATCH) return { is: 'unsure', said: error.said.message };
  endAttempt(scope);
  return {
    is: 'notCharged',
    reason: error.said.message ?? '',
    refunding: error.code === 'refunding',
  };
}

/**
 * Completes the purchase after the provider has authorised the money. From here on, failures of our
 * server read "your tickets are being issued", never "try again".
 */
async function issue(
  purchase: Purchase,
  order: OpenOrder,
  onBusy: () => void,
): Promise<CheckoutEvent> {
  try {
    const answer = await withRetry(() => purchase.complete(order), onBusy);
    return decided(purchase.scope, answer, { is: 'pending' });
  } catch (error) {
    return refusedFor(purchase.scope, error) ?? { is: 'pending' };
  }
}

/**
 * Returns the event for the answer of a completing call. `otherwise` applies when the answer is not
 * final.
 */
function decided(scope: string, answer: CompletionAnswer, otherwise: CheckoutEvent): CheckoutEvent {
  if (answer.status === 'succeeded') {
    finishAttempt(scope);
    return { is: 'issued', tickets: answer.tickets ?? [] };
  }
  if (answer.status === 'not_charged') {
    endAttempt(scope);
    return { is: 'notCharged', reason: answer.message ?? '' };
  }
  return otherwise;
}
