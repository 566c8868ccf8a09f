/**
 * The state machine of a purchase. Pure. Invariant: once money may have moved, it never offers a
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
  /** Cents. */
  amount: number;
  ticketCount: number;
  /** For a cart: the number of tickets of each draw. */
  items?: readonly { drawNumber: number; quantity: number }[];
  /** Server time in milliseconds. */
  expiresAt: number;
}

/** An error before any money moved: the text for the buyer, and the field to look at. */
export interface CheckoutProblem {
  title: string;
  text: string;
  /** The number of available tickets, when too few were left. */
  available?: number;
  /** Whether the shown price is outdated and must be requested again. */
  stale?: boolean;
  /** Whether no payment was attempted. The text then need not mention money. */
  untried?: boolean;
}

export type Checkout =
  | { at: 'choosing'; order: OpenOrder | null; trouble: CheckoutProblem | null }
  | { at: 'reserving'; way: PaymentMethodKind }
  | { at: 'paying'; way: PaymentMethodKind; order: OpenOrder }
  | { at: 'issuing'; way: PaymentMethodKind; order: OpenOrder }
  /**
   * `said`: the server's own text, when it knows of a problem but not yet what happens to the
   * money.
   */
  | { at: 'confirming'; order: Pick<OpenOrder, 'orderToken' | 'paymentIntentId'>; said?: string }
  /**
   * The money is authorised and the tickets are not issued yet. The thank-you page waits for them
   * (specification line A:190, decision C-19).
   */
  | { at: 'pending'; order: Pick<OpenOrder, 'orderToken' | 'paymentIntentId'> }
  | { at: 'issued'; tickets: readonly OwnTicket[] }
  /** `refunding`: money was taken although no tickets could be issued, and is being refunded. */
  | { at: 'notCharged'; reason: string; refunding: boolean }
  | { at: 'lost'; order: Pick<OpenOrder, 'orderToken' | 'paymentIntentId'>; said?: string };

export type CheckoutEvent =
  | { is: 'submitted'; way: PaymentMethodKind }
  | { is: 'opened'; order: OpenOrder }
  | { is: 'refused'; trouble: CheckoutProblem }
  | { is: 'authorised' }
  | { is: 'declined'; trouble: CheckoutProblem }
  | { is: 'pending' }
  | { is: 'unsure'; order?: Pick<OpenOrder, 'orderToken' | 'paymentIntentId'>; said?: string }
  | { is: 'issued'; tickets: readonly OwnTicket[] }
  | { is: 'notCharged'; reason: string; refunding?: boolean }
  /**
   * The server has asked the provider: no card was accepted for this payment, so the buyer may try
   * again.
   */
  | { is: 'untouched'; trouble: CheckoutProblem }
  | { is: 'gaveUp' }
  | { is: 'expired' }
  | { is: 'again' };

export const CHOOSING: Checkout = { at: 'choosing', order: null, trouble: null };

/**
 * Applies an event. An event that does not fit the state changes nothing, because late answers are
 * normal.
 */
export function advance(checkout: Checkout, event: CheckoutEvent): Checkout {
  switch (checkout.at) {
    case 'choosing':
      if (event.is === 'submitted') return { at: 'reserving', way: event.way };
      if (event.is === 'opened')
        return { ...checkout, order: event.order, trouble: stillTrue(checkout.trouble) };
      if (event.is === 'refused') return { ...checkout, trouble: event.trouble };
      if (event.is === 'expired') return { ...checkout, order: null };
      // After a reload during a payment, the order is found again and only its outcome is
      // requested.
      if (event.is === 'unsure' && event.order) return { at: 'confirming', order: event.order };
      return checkout;
    case 'reserving':
      if (event.is === 'opened') return { at: 'paying', way: checkout.way, order: event.order };
      if (event.is === 'refused') return { at: 'choosing', order: null, trouble: event.trouble };
      return checkout;
    case 'paying':
      if (event.is === 'authorised')
        return { at: 'issuing', way: checkout.way, order: checkout.order };
      if (event.is === 'declined')
        return { at: 'choosing', order: checkout.order, trouble: event.trouble };
      if (event.is === 'unsure') return confirming(checkout.order, event.said);
      return checkout;
    case 'issuing':
    case 'pending':
    case 'confirming':
      if (event.is === 'issued') return { at: 'issued', tickets: event.tickets };
      if (event.is === 'notCharged')
        return {
          at: 'notCharged',
          reason: event.reason,
          refunding: event.refunding ?? false,
        };
      if (event.is === 'untouched' && checkout.at === 'confirming')
        return { at: 'choosing', order: null, trouble: event.trouble };
      if (
        event.is === 'unsure' &&
        (checkout.at === 'issuing' || (checkout.at === 'confirming' && event.said))
      )
        return confirming(checkout.order, event.said);
      if (event.is === 'pending' && checkout.at === 'issuing')
        return { at: 'pending', order: checkout.order };
      if (event.is === 'gaveUp' && checkout.at === 'confirming') return { ...checkout, at: 'lost' };
      return checkout;
    case 'lost':
      // The socket may still deliver the outcome.
      if (event.is === 'issued') return { at: 'issued', tickets: event.tickets };
      if (event.is === 'notCharged')
        return {
          at: 'notCharged',
          reason: event.reason,
          refunding: event.refunding ?? false,
        };
      return checkout;
    case 'notCharged':
      return event.is === 'again' ? CHOOSING : checkout;
    case 'issued':
      return checkout;
  }
}

const confirming = (
  order: Pick<OpenOrder, 'orderToken' | 'paymentIntentId'>,
  said?: string,
): Checkout => ({ at: 'confirming', order, ...(said ? { said } : {}) });

/** Clears a "too few tickets" error once tickets are available. Other errors stay. */
const stillTrue = (trouble: CheckoutProblem | null): CheckoutProblem | null =>
  trouble?.available === undefined ? trouble : null;

/** Whether a payment may be started. Pay buttons work in no other state. */
export const mayPay = (checkout: Checkout): boolean => checkout.at === 'choosing';

/**
 * Whether a request is in progress. Controls are disabled then, and leaving the page asks for
 * confirmation.
 */
export const isBusy = (checkout: Checkout): boolean =>
  ['reserving', 'paying', 'issuing', 'confirming', 'pending'].includes(checkout.at);

/**
 * Returns the tickets that this purchase has reserved. The buyer can still buy them when the public
 * count is zero.
 */
export function ownHeld(checkout: Checkout, nowMs: number): number {
  if (!('order' in checkout) || !checkout.order || !('ticketCount' in checkout.order)) return 0;
  // A payment that has started is never interrupted. Before that, the reservation counts only until
  // it expires.
  return checkout.at === 'choosing' && checkout.order.expiresAt <= nowMs
    ? 0
    : checkout.order.ticketCount;
}

/**
 * Returns the number of tickets bought. After a reload, the order is more reliable than the form.
 */
export const boughtCount = (checkout: Checkout, wanted: number): number =>
  checkout.at === 'issued' && checkout.tickets.length > 0 ? checkout.tickets.length : wanted;

/**
 * Returns the event for an order's answer when the outcome of the payment is unknown. Null while
 * the order is open.
 */
export function outcomeOf(order: {
  status: string;
  reason: string | null;
  lines: readonly { tickets: readonly OwnTicket[] }[];
}): CheckoutEvent | null {
  if (order.status === 'succeeded')
    return { is: 'issued', tickets: order.lines.flatMap((line) => line.tickets) };
  if (order.status === 'not_charged') return { is: 'notCharged', reason: order.reason ?? '' };
  if (order.status === 'refunding' || order.status === 'refunded')
    return { is: 'notCharged', reason: order.reason ?? '', refunding: true };
  return null;
}

/**
 * Returns why there are no tickets, as a full sentence, and what happens to the money. Some
 * specified server texts lack the full stop.
 */
export function moneyWords(reason: string, refunding: boolean): string {
  if (/not been charged|being refunded/.test(reason)) return reason;
  const why = reason === '' || /[.!?]$/.test(reason) ? reason : `${reason}.`;
  return `${why} ${refunding ? 'Your payment is being refunded.' : 'You have not been charged.'}`.trim();
}

export const CONFIRMING = 'We are confirming your payment';

/** Returns what the buyer should do while the outcome is unknown or under manual review. */
export function waitingWords({
  at,
  said,
}: Pick<Extract<Checkout, { at: 'confirming' | 'lost' }>, 'at' | 'said'>): string {
  if (said) return `${said} Please do not pay again.`;
  return at === 'confirming'
    ? 'Please keep this page open. You do not need to pay again.'
    : 'This is taking longer than usual. Please do not pay again: either your tickets come by e-mail, or nothing is charged.';
}
