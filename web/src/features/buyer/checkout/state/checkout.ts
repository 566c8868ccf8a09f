/**
 * The state machine of a purchase. Pure. Invariant: once money may have moved, no state offers a
 * second payment.
 */
import type { OwnTicket } from '@/api/wire';

export type PaymentMethodKind = 'card' | 'wallet';

/** An order that the server has opened: tickets are reserved and a payment intent exists. */
export interface OpenOrder {
  clientSecret: string;
  paymentIntentId: string;
  orderToken: string;
  reservationId: string;
  /** Total in cents. */
  amount: number;
  ticketCount: number;
  /** For a cart: the number of tickets of each draw. Undefined for a single draw. */
  items?: readonly { drawNumber: number; quantity: number }[];
  /** End of the reservation: server time in milliseconds. */
  expiresAt: number;
}

/** Ids of an order. The token proves to the server that the order belongs to this buyer. */
export type OrderIds = Pick<OpenOrder, 'paymentIntentId' | 'orderToken'>;

/** An error before any money moved, with its texts for the buyer. */
export interface CheckoutError {
  title: string;
  text: string;
  /** Number of tickets still available, when too few were left for the order. */
  available?: number;
  /** Whether the shown price is outdated and must be loaded again. */
  stale?: boolean;
  /** Whether no payment was attempted, so that the text need not say that nothing was charged. */
  notAttempted?: boolean;
  /** Whether a consent box was not ticked. The error ends once both are. */
  missingConsent?: boolean;
}

export type Checkout =
  | { state: 'choosing'; order: OpenOrder | null; error: CheckoutError | null }
  | { state: 'reserving'; method: PaymentMethodKind }
  | { state: 'paying'; method: PaymentMethodKind; order: OpenOrder }
  | { state: 'issuing'; method: PaymentMethodKind; order: OpenOrder }
  /**
   * `serverMessage`: the server's own text, when it knows of a problem but not yet what happens to
   * the money.
   */
  | {
      state: 'confirming';
      order: OrderIds;
      serverMessage?: string;
    }
  /**
   * The money is authorised and the tickets are not issued yet. The thank-you page waits for the
   * tickets (specification line A:190, decision C-19).
   */
  | { state: 'pending'; order: OrderIds }
  | { state: 'issued'; tickets: readonly OwnTicket[] }
  /** `refunding`: money was taken although no tickets were issued; its refund has begun. */
  | { state: 'notCharged'; reason: string; refunding: boolean }
  | {
      state: 'lost';
      order: OrderIds;
      serverMessage?: string;
    };

export type CheckoutEvent =
  | { type: 'submitted'; method: PaymentMethodKind }
  | { type: 'opened'; order: OpenOrder }
  | { type: 'refused'; error: CheckoutError }
  | { type: 'authorised' }
  | { type: 'declined'; error: CheckoutError }
  | { type: 'pending' }
  | {
      type: 'unsure';
      order?: OrderIds;
      serverMessage?: string;
    }
  | { type: 'issued'; tickets: readonly OwnTicket[] }
  | { type: 'notCharged'; reason: string; refunding?: boolean }
  /** The provider has accepted no card for this payment, so the buyer may try again. */
  | { type: 'untouched'; error: CheckoutError }
  | { type: 'gaveUp' }
  /** Both consent boxes are ticked. */
  | { type: 'consented' }
  | { type: 'expired' }
  | { type: 'again' };

export type CheckoutDispatch = (event: CheckoutEvent) => void;

export const INITIAL_CHECKOUT: Checkout = { state: 'choosing', order: null, error: null };

/**
 * Applies an event. An event that does not fit the state changes nothing, because responses may
 * arrive late.
 */
export function reduceCheckout(checkout: Checkout, event: CheckoutEvent): Checkout {
  switch (checkout.state) {
    case 'choosing':
      if (event.type === 'submitted') return { state: 'reserving', method: event.method };
      if (event.type === 'opened')
        return { ...checkout, order: event.order, error: withoutSoldOutError(checkout.error) };
      if (event.type === 'refused') return { ...checkout, error: event.error };
      if (event.type === 'expired') return { ...checkout, order: null };
      if (event.type === 'consented' && checkout.error?.missingConsent)
        return { ...checkout, error: null };
      // After a reload during a payment, the order comes from storage, and only its outcome is
      // requested.
      if (event.type === 'unsure' && event.order)
        return { state: 'confirming', order: event.order };
      return checkout;
    case 'reserving':
      if (event.type === 'opened')
        return { state: 'paying', method: checkout.method, order: event.order };
      if (event.type === 'refused') return { state: 'choosing', order: null, error: event.error };
      return checkout;
    case 'paying':
      if (event.type === 'authorised')
        return { state: 'issuing', method: checkout.method, order: checkout.order };
      if (event.type === 'declined')
        return { state: 'choosing', order: checkout.order, error: event.error };
      if (event.type === 'unsure') return confirmingState(checkout.order, event.serverMessage);
      return checkout;
    case 'issuing':
    case 'pending':
    case 'confirming':
      if (event.type === 'issued') return { state: 'issued', tickets: event.tickets };
      if (event.type === 'notCharged')
        return {
          state: 'notCharged',
          reason: event.reason,
          refunding: event.refunding ?? false,
        };
      if (event.type === 'untouched' && checkout.state === 'confirming')
        return { state: 'choosing', order: null, error: event.error };
      if (
        event.type === 'unsure' &&
        (checkout.state === 'issuing' || (checkout.state === 'confirming' && event.serverMessage))
      )
        return confirmingState(checkout.order, event.serverMessage);
      if (event.type === 'pending' && checkout.state === 'issuing')
        return { state: 'pending', order: checkout.order };
      if (event.type === 'gaveUp' && checkout.state === 'confirming')
        return { ...checkout, state: 'lost' };
      return checkout;
    case 'lost':
      // The socket may still deliver the outcome after the polling has stopped.
      if (event.type === 'issued') return { state: 'issued', tickets: event.tickets };
      if (event.type === 'notCharged')
        return {
          state: 'notCharged',
          reason: event.reason,
          refunding: event.refunding ?? false,
        };
      return checkout;
    case 'notCharged':
      return event.type === 'again' ? INITIAL_CHECKOUT : checkout;
    case 'issued':
      return checkout;
  }
}

const confirmingState = (order: OrderIds, serverMessage?: string): Checkout => ({
  state: 'confirming',
  order,
  ...(serverMessage ? { serverMessage } : {}),
});

/** Clears a "too few tickets" error once tickets are available. Other errors stay. */
const withoutSoldOutError = (error: CheckoutError | null): CheckoutError | null =>
  error?.available === undefined ? error : null;

/** Whether a payment may be started. Pay buttons work in no other state. */
export const canPay = (checkout: Checkout): boolean => checkout.state === 'choosing';

/**
 * Whether a request is in progress. Controls are disabled then, and leaving the page asks for
 * confirmation.
 */
export const isCheckoutBusy = (checkout: Checkout): boolean =>
  ['reserving', 'paying', 'issuing', 'confirming', 'pending'].includes(checkout.state);

/**
 * Returns the tickets that this purchase has reserved. The buyer can still buy them when the public
 * count is zero.
 */
export function ownReservedTicketCount(checkout: Checkout, nowMs: number): number {
  if (!('order' in checkout) || !checkout.order || !('ticketCount' in checkout.order)) return 0;
  // A payment that has started is never interrupted. Before that, the reservation counts only until
  // it expires.
  return checkout.state === 'choosing' && checkout.order.expiresAt <= nowMs
    ? 0
    : checkout.order.ticketCount;
}

/**
 * Returns the number of tickets bought: the issued tickets, or else `wanted`. After a reload, the
 * form's count may differ from the issued tickets.
 */
export const purchasedTicketCount = (checkout: Checkout, wanted: number): number =>
  checkout.state === 'issued' && checkout.tickets.length > 0 ? checkout.tickets.length : wanted;

/**
 * Returns the event for an order that the server has sent while the payment's outcome is unknown.
 * Null while the order is open.
 */
export function eventForOrderOutcome(order: {
  status: string;
  reason: string | null;
  lines: readonly { tickets: readonly OwnTicket[] }[];
}): CheckoutEvent | null {
  if (order.status === 'succeeded')
    return { type: 'issued', tickets: order.lines.flatMap((line) => line.tickets) };
  if (order.status === 'not_charged') return { type: 'notCharged', reason: order.reason ?? '' };
  if (['refunding', 'refunded', 'refund_failed'].includes(order.status))
    return { type: 'notCharged', reason: order.reason ?? '', refunding: true };
  return null;
}

/**
 * Returns why there are no tickets and what happens to the money. Adds a full stop to the reason,
 * because some specified server texts lack it.
 */
export function chargeOutcomeText(reason: string, refunding: boolean): string {
  if (/not been charged|being refunded/.test(reason)) return reason;
  const why = reason === '' || /[.!?]$/.test(reason) ? reason : `${reason}.`;
  return `${why} ${refunding ? 'Your payment is being refunded.' : 'You have not been charged.'}`.trim();
}

export const CONFIRMING_PAYMENT_TITLE = 'We are confirming your payment';

/**
 * Returns what the buyer should do while the outcome of the payment is unknown or under manual
 * review.
 */
export function confirmingPaymentText({
  state,
  serverMessage,
}: Pick<Extract<Checkout, { state: 'confirming' | 'lost' }>, 'state' | 'serverMessage'>): string {
  if (serverMessage) return `${serverMessage} Please do not pay again.`;
  return state === 'confirming'
    ? 'Please keep this page open. You do not need to pay again.'
    : 'This is taking longer than usual. Please do not pay again: either your tickets come by e-mail, or nothing is charged.';
}
