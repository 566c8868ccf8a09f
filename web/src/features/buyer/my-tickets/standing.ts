/** What an order that gave no tickets, or gave them up again, says to whoever opens it later: from its own mail, or among all of an address. Pure. */
import type { OrderAnswer } from '@/api/wire';
import { cents, dollars } from '@/shared/money';

type Standing = Pick<OrderAnswer, 'status' | 'reason' | 'refund'>;

const moneyWent = ({ reason, refund }: Standing, words: string): string =>
  `${reason ?? 'This order has no valid tickets.'} ${refund ? dollars(cents(refund.amount)) : 'Your payment'} ${words}`;

/** Whether its tickets are gone or never came. */
export const isOver = ({ status }: Pick<OrderAnswer, 'status'>): boolean =>
  ['not_charged', 'refunding', 'refunded'].includes(status);

/** Null while the tickets speak for themselves. */
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
