/** Where a purchase stands, and what moves it on. Pure. Its one promise: once money may have moved, it never offers a second payment. */
import type { OwnTicket } from '@/api/wire';

export type Way = 'card' | 'wallet';

/** An order that the server has opened: tickets are reserved, a payment intent exists. */
export interface OpenOrder {
  clientSecret: string;
  paymentIntentId: string;
  orderToken: string;
  reservationId: string;
  /** Cents. */
  amount: number;
  ticketCount: number;
  /** Of a cart: how many of each draw. */
  items?: readonly { drawNumber: number; quantity: number }[];
  /** Server milliseconds. */
  expiresAt: number;
}

/** What went wrong before any money moved: words for the person, and where to look. */
export interface Trouble {
  title: string;
  text: string;
  /** How many tickets there are, when that was the trouble. */
  available?: number;
  /** The price that was shown is not the price any more: it has to be asked for again. */
  stale?: boolean;
  /** Nothing was tried yet, so money need not be spoken of. */
  untried?: boolean;
}

export type Checkout =
  | { at: 'choosing'; order: OpenOrder | null; trouble: Trouble | null }
  | { at: 'reserving'; way: Way }
  | { at: 'paying'; way: Way; order: OpenOrder }
  | { at: 'issuing'; way: Way; order: OpenOrder }
  /** `said`: the server's own words, where it knows that something is wrong but not what becomes of the money. */
  | { at: 'confirming'; order: Pick<OpenOrder, 'orderToken' | 'paymentIntentId'>; said?: string }
  /** The money is set aside, the tickets are not here yet: the thank-you page waits for them (A:190, C-19). */
  | { at: 'pending'; order: Pick<OpenOrder, 'orderToken' | 'paymentIntentId'> }
  | { at: 'issued'; tickets: readonly OwnTicket[] }
  /** `refunding`: money was taken although no tickets could be given, and is on its way back. */
  | { at: 'notCharged'; reason: string; refunding: boolean }
  | { at: 'lost'; order: Pick<OpenOrder, 'orderToken' | 'paymentIntentId'>; said?: string };

export type Happening =
  | { is: 'submitted'; way: Way }
  | { is: 'opened'; order: OpenOrder }
  | { is: 'refused'; trouble: Trouble }
  | { is: 'authorised' }
  | { is: 'declined'; trouble: Trouble }
  | { is: 'pending' }
  | { is: 'unsure'; order?: Pick<OpenOrder, 'orderToken' | 'paymentIntentId'>; said?: string }
  | { is: 'issued'; tickets: readonly OwnTicket[] }
  | { is: 'notCharged'; reason: string; refunding?: boolean }
  /** The server has asked the provider: no card was ever accepted for this payment, which may be tried again. */
  | { is: 'untouched'; trouble: Trouble }
  | { is: 'gaveUp' }
  | { is: 'expired' }
  | { is: 'again' };

export const CHOOSING: Checkout = { at: 'choosing', order: null, trouble: null };

/** A happening that does not fit where the purchase stands changes nothing: late answers are normal. */
export function advance(checkout: Checkout, happening: Happening): Checkout {
  switch (checkout.at) {
    case 'choosing':
      if (happening.is === 'submitted') return { at: 'reserving', way: happening.way };
      if (happening.is === 'opened')
        return { ...checkout, order: happening.order, trouble: stillTrue(checkout.trouble) };
      if (happening.is === 'refused') return { ...checkout, trouble: happening.trouble };
      if (happening.is === 'expired') return { ...checkout, order: null };
      // A reload in the middle of a payment finds the order again, and only asks what became of it.
      if (happening.is === 'unsure' && happening.order)
        return { at: 'confirming', order: happening.order };
      return checkout;
    case 'reserving':
      if (happening.is === 'opened')
        return { at: 'paying', way: checkout.way, order: happening.order };
      if (happening.is === 'refused')
        return { at: 'choosing', order: null, trouble: happening.trouble };
      return checkout;
    case 'paying':
      if (happening.is === 'authorised')
        return { at: 'issuing', way: checkout.way, order: checkout.order };
      if (happening.is === 'declined')
        return { at: 'choosing', order: checkout.order, trouble: happening.trouble };
      if (happening.is === 'unsure') return confirming(checkout.order, happening.said);
      return checkout;
    case 'issuing':
    case 'pending':
    case 'confirming':
      if (happening.is === 'issued') return { at: 'issued', tickets: happening.tickets };
      if (happening.is === 'notCharged')
        return {
          at: 'notCharged',
          reason: happening.reason,
          refunding: happening.refunding ?? false,
        };
      if (happening.is === 'untouched' && checkout.at === 'confirming')
        return { at: 'choosing', order: null, trouble: happening.trouble };
      if (
        happening.is === 'unsure' &&
        (checkout.at === 'issuing' || (checkout.at === 'confirming' && happening.said))
      )
        return confirming(checkout.order, happening.said);
      if (happening.is === 'pending' && checkout.at === 'issuing')
        return { at: 'pending', order: checkout.order };
      if (happening.is === 'gaveUp' && checkout.at === 'confirming')
        return { ...checkout, at: 'lost' };
      return checkout;
    case 'lost':
      // News may still come by the socket.
      if (happening.is === 'issued') return { at: 'issued', tickets: happening.tickets };
      if (happening.is === 'notCharged')
        return {
          at: 'notCharged',
          reason: happening.reason,
          refunding: happening.refunding ?? false,
        };
      return checkout;
    case 'notCharged':
      return happening.is === 'again' ? CHOOSING : checkout;
    case 'issued':
      return checkout;
  }
}

const confirming = (
  order: Pick<OpenOrder, 'orderToken' | 'paymentIntentId'>,
  said?: string,
): Checkout => ({ at: 'confirming', order, ...(said ? { said } : {}) });

/** Too few tickets is mended once there are some; what else went wrong is not. */
const stillTrue = (trouble: Trouble | null): Trouble | null =>
  trouble?.available === undefined ? trouble : null;

/** Whether a payment may be started. Nowhere else may a pay button work. */
export const mayPay = (checkout: Checkout): boolean => checkout.at === 'choosing';

/** Whether a request is under way, so that controls freeze and leaving asks once. */
export const isBusy = (checkout: Checkout): boolean =>
  ['reserving', 'paying', 'issuing', 'confirming', 'pending'].includes(checkout.at);

/** Tickets this purchase itself keeps from the rest: they are still ours to buy when the public count says none are left. */
export function ownHeld(checkout: Checkout, nowMs: number): number {
  if (!('order' in checkout) || !checkout.order || !('ticketCount' in checkout.order)) return 0;
  // A payment that has begun is not cut off; before one the reservation counts only while it lasts.
  return checkout.at === 'choosing' && checkout.order.expiresAt <= nowMs
    ? 0
    : checkout.order.ticketCount;
}

/** How many were bought: after a reload the order knows better than the form. */
export const boughtCount = (checkout: Checkout, wanted: number): number =>
  checkout.at === 'issued' && checkout.tickets.length > 0 ? checkout.tickets.length : wanted;

/** What an order's answer means for a purchase of unknown outcome; null while it is still open. */
export function outcomeOf(order: {
  status: string;
  reason: string | null;
  lines: readonly { tickets: readonly OwnTicket[] }[];
}): Happening | null {
  if (order.status === 'succeeded')
    return { is: 'issued', tickets: order.lines.flatMap((line) => line.tickets) };
  if (order.status === 'not_charged') return { is: 'notCharged', reason: order.reason ?? '' };
  if (order.status === 'refunding' || order.status === 'refunded')
    return { is: 'notCharged', reason: order.reason ?? '', refunding: true };
  return null;
}

/** Why there are no tickets, as a whole sentence, and what becomes of the money. Some of the server's reasons are specified without a full stop. */
export function moneyWords(reason: string, refunding: boolean): string {
  if (/not been charged|being refunded/.test(reason)) return reason;
  const why = reason === '' || /[.!?]$/.test(reason) ? reason : `${reason}.`;
  return `${why} ${refunding ? 'Your payment is being refunded.' : 'You have not been charged.'}`.trim();
}

export const CONFIRMING = 'We are confirming your payment';

/** What to do while nobody knows what became of a payment, or is told that people look into it. */
export function waitingWords({
  at,
  said,
}: Pick<Extract<Checkout, { at: 'confirming' | 'lost' }>, 'at' | 'said'>): string {
  if (said) return `${said} Please do not pay again.`;
  return at === 'confirming'
    ? 'Please keep this page open. You do not need to pay again.'
    : 'This is taking longer than usual. Please do not pay again: either your tickets come by e-mail, or nothing is charged.';
}
