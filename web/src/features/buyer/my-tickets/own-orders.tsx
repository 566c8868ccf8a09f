import { orderReference } from '@/features/buyer/checkout/outcome/order-reference';
import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect } from 'react';
import type { OrdersOfEmailAddress } from '@/api/endpoints/public';
import type { OrderResponse } from '@/api/wire';
import { orderAtom, receiveOrderAtom } from '@/features/shared-live/live-atoms';
import { useLiveOrder } from '@/features/shared-live/use-live';
import { dayAndTime } from '@/shared/dates';
import { formatDollars } from '@/shared/money';
import { orderStatusText } from './order-status-text';
import { TicketList } from './ticket-list';

/** The number of newest orders that receive live updates. Older ones are shown as first loaded. */
const LIVE_UPDATED_ORDERS_MAX = 8;

/** The orders of one e-mail address, newest first. */
export function OwnOrdersList({ orders }: { orders: OrdersOfEmailAddress }) {
  const receive = useSetAtom(receiveOrderAtom);
  useEffect(() => {
    for (const order of orders.orders) receive(order);
  }, [orders, receive]);
  return (
    <>
      <p>
        Bought with <span className="mail">{orders.emailMasked}</span>. This link works until{' '}
        {dayAndTime(orders.until)}; keep it to yourself.
      </p>
      {orders.orders.length === 0 ? (
        <div className="card empty">
          <strong>No tickets yet</strong>
          <p>Nothing was bought with this address so far.</p>
        </div>
      ) : null}
      {orders.orders.map((order, index) =>
        index < LIVE_UPDATED_ORDERS_MAX ? (
          <OrderCardWithLiveUpdates key={order.orderToken} order={order} />
        ) : (
          <OrderCard key={order.orderToken} order={order} />
        ),
      )}
      {orders.orders.length > 0 ? (
        <div className="no-print">
          <button type="button" className="btn sec" onClick={() => window.print()}>
            Print
          </button>
        </div>
      ) : null}
    </>
  );
}

function OrderCardWithLiveUpdates({ order }: { order: OrderResponse }) {
  useLiveOrder(order.orderToken, false);
  return <OrderCard order={useAtomValue(orderAtom(order.orderToken)) ?? order} />;
}

function OrderCard({ order }: { order: OrderResponse }) {
  const id = `order-${order.orderToken.slice(0, 8)}`;
  const count = order.lines.reduce((sum, line) => sum + line.ticketCount, 0);
  return (
    // Not a landmark for screen readers, because two orders of the same club and size have the same
    // name.
    <article className="own-order" aria-labelledby={id}>
      <h2 id={id}>
        {order.clubName}: {count} {count === 1 ? 'ticket' : 'tickets'}
      </h2>
      <p className="meta">
        {order.purchasedAt ? `${dayAndTime(order.purchasedAt)} · ` : ''}
        {formatDollars(order.amount)}
        {order.paymentIntentId ? ` · reference ${orderReference(order.paymentIntentId)}` : ''}
      </p>
      {order.status === 'succeeded' ? (
        order.lines.map((line) => (
          <TicketList key={line.drawNumber} line={line} token={order.orderToken} under />
        ))
      ) : (
        <p>{orderStatusText(order)}</p>
      )}
    </article>
  );
}
