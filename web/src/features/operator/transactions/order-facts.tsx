/** Loads and shows one order from the server, independent of any list. */
import { useEffect, useState } from 'react';
import { fetchOrder } from '@/api/endpoints/operator';
import type { OrderDetail } from '@/api/wire-operator';
import { dayAndTime } from '@/shared/dates';
import { amountText } from '../components/money';
import { FactList } from '../components/common';
import { serverMessage } from '../session/error-kinds';

type OrderLookup =
  | { status: 'asking' }
  | { status: 'known'; order: OrderDetail }
  | { status: 'failed'; text: string };

/** Loads an order. While another id loads, the previous order stays shown. */
export function useOrderLookup(id: string): OrderLookup {
  const [lookup, setLookup] = useState<OrderLookup>({ status: 'asking' });
  useEffect(() => {
    fetchOrder(id).then(
      (order) => setLookup({ status: 'known', order }),
      (error: unknown) =>
        setLookup({ status: 'failed', text: serverMessage(error) || 'The order did not load.' }),
    );
  }, [id]);
  return lookup;
}

/** Shows what the buyer's bank said about the payment, newest first. */
const BankNotices = ({ notices }: { notices: OrderDetail['bankNotices'] }) => (
  <ul>
    {notices.map((notice, index) => (
      <li key={index}>{`${dayAndTime(notice.at)}: ${notice.text}`}</li>
    ))}
  </ul>
);

export const OrderFacts = ({ order }: { order: OrderDetail }) => (
  <FactList
    facts={[
      [
        'Buyer',
        order.buyerName
          ? `${order.buyerName}${order.buyerEmail ? `, ${order.buyerEmail}` : ''}`
          : (order.buyerEmail ?? 'Guest'),
      ],
      ['Club', order.clubName],
      [
        'Tickets',
        order.lines
          .map(
            (line) =>
              `${line.ticketCount} × ${line.homeTeam} v ${line.awayTeam} (FD-${line.drawNumber}, ${line.drawStatus})`,
          )
          .join('; '),
      ],
      [order.capturedAt ? 'Paid' : 'Total', amountText(order.total)],
      // The draw's ledger decides how much of the platform fee is refunded. A draw past the fee cap
      // may refund less (decision D-3).
      order.refund
        ? ['Platform fee given back', amountText(order.refund.feeReturned)]
        : ['Platform fee', amountText(order.platformFee)],
      ...(order.refund
        ? [
            [
              'Refund',
              `${order.refund.state}: ${amountText(order.refund.amount)} – ${order.refund.reason}`,
            ] as const,
            ...(order.refund.detail ? [['Refund detail', order.refund.detail] as const] : []),
          ]
        : []),
      ...(order.bankNotices.length > 0
        ? [['Buyer’s bank', <BankNotices key="bank" notices={order.bankNotices} />] as const]
        : []),
    ]}
  />
);
