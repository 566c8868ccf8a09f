/**
 * The text for an order without tickets, or whose tickets were withdrawn. Shown on the order's page
 * and in the list of a buyer's orders. Pure.
 */
import type { OrderResponse } from '@/api/wire';
import { decimalToCents, formatDollars } from '@/shared/money';

type OrderOutcome = Pick<OrderResponse, 'status' | 'reason' | 'refund'>;

const refundText = ({ reason, refund }: OrderOutcome, text: string): string =>
  `${reason ?? 'This order has no valid tickets.'} ${refund ? formatDollars(decimalToCents(refund.amount)) : 'Your payment'} ${text}`;

/** Whether the tickets were withdrawn or never issued. */
export const hasNoTickets = ({ status }: Pick<OrderResponse, 'status'>): boolean =>
  ['not_charged', 'refunding', 'refunded', 'refund_failed'].includes(status);

/** Returns the text of an order. Null while the order has its tickets. */
export function orderStatusText(order: OrderOutcome): string | null {
  switch (order.status) {
    case 'succeeded':
      return null;
    case 'refunded':
      return refundText(
        order,
        'was sent back to you. It shows on your statement within 5 to 10 business days.',
      );
    case 'refunding':
      return refundText(order, 'will be sent back to you. We will write to you when it is sent.');
    case 'refund_failed':
      return refundText(
        order,
        'could not be sent back to your card. You are still owed this money. Please contact the club.',
      );
    case 'not_charged':
      return 'No tickets were bought, and you have not been charged.';
    case 'requires_payment_method':
      return 'We are confirming your payment …';
    default:
      return 'Your tickets are being issued …';
  }
}
