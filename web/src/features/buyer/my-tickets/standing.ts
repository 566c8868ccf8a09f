/**
 * The text of an order without tickets, or whose tickets were withdrawn. It is shown from the
 * order's mail and in the list of an address's orders. Pure.
 */
import type { OrderAnswer } from '@/api/wire';
import { cents, dollars } from '@/shared/money';

type Standing = Pick<OrderAnswer, 'status' | 'reason' | 'refund'>;

const moneyWent = ({ reason, refund }: Standing, words: string): string =>
  `${reason ?? 'This order has no valid tickets.'} ${refund ? dollars(cents(refund.amount)) : 'Your payment'} ${words}`;

/** Whether the tickets were withdrawn or never issued. */
export const isOver = ({ status }: Pick<OrderAnswer, 'status'>): boolean =>
  ['not_charged', 'refunding', 'refunded'].includes(status);

/** Returns the text of an order. Null while the order has its tickets. */
export function standingOf(order: Standing): string | null {
  switch (order.status) {
    case 'succeeded':
      return null;
    case 'refunded':
      return moneyWent(
        order,
        'was sent back to you. It shows on your statement within 5 to 10 business days.',
      );
    case 'refunding':
      return moneyWent(order, 'is on its way back to you.');
    case 'not_charged':
      return 'No tickets were bought, and you have not been charged.';
    case 'requires_payment_method':
      return 'We are confirming your payment …';
    default:
      return 'Your tickets are being issued …';
  }
}
