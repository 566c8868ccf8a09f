import { useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import type { OrderDetail, Transaction } from '@/api/wire-operator';
import { dayAndTime, dayText, timeOfDay } from '@/shared/dates';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { AuditTrail } from '../audit/audit-trail';
import { CopyableId, FactList, RowsSkeleton, Tag } from '../components/common';
import { amountText, signedCents, signedDollars } from '../components/money';
import { CONSOLE_PATH } from '../console/address';
import { delayText, timelineOf } from './order-timeline';
import { useOrderLookup } from './order-facts';

interface OrderPageProps {
  order: string;
  /** The payment in the list; undefined for an order that is not in it. */
  transaction: Transaction | undefined;
  onRefund: (order: string) => void;
}

/** One order: what happened, the money, the buyer and the tickets. */
export function OrderPage({ order: id, transaction, onRefund }: OrderPageProps) {
  const lookup = useOrderLookup(id);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  const order = lookup.status === 'known' ? lookup.order : null;
  return (
    <article className="ops-order-page">
      <div className="ops-order-head">
        <p className="meta">
          <Link href={`${CONSOLE_PATH}?section=transactions`}>{O.stripeTransactions}</Link> / Order
        </p>
        <h2 ref={heading} tabIndex={-1}>
          Order {id.slice(0, 8)} {order ? <OrderStateTag order={order} /> : null}
        </h2>
        <div className="actions">
          {transaction?.stripeUrl ? (
            <a
              className="btn small sec"
              href={transaction.stripeUrl}
              target="_blank"
              rel="noreferrer"
            >
              Open in Stripe
            </a>
          ) : null}
          {order?.refundable ? (
            <button type="button" className="btn small danger" onClick={() => onRefund(id)}>
              Refund {amountText(order.total)}…
            </button>
          ) : null}
        </div>
      </div>
      {lookup.status === 'asking' ? <RowsSkeleton rows={5} /> : null}
      {lookup.status === 'failed' ? (
        <p className="callout is-bad" role="alert">
          {lookup.text}
        </p>
      ) : null}
      {order ? (
        <div className="ops-order-columns">
          <OrderTimeline order={order} />
          <div className="ops-order-side">
            <OrderMoney order={order} transaction={transaction} />
            <OrderBuyer order={order} />
            <OrderTickets order={order} />
          </div>
        </div>
      ) : null}
      <section className="card panel">
        <AuditTrail objects={`order:${id}`} title="Changes by people" />
      </section>
    </article>
  );
}

function OrderStateTag({ order }: { order: OrderDetail }) {
  if (order.refund?.state === 'failed') return <Tag kind="bad">Refund failed</Tag>;
  if (order.refund)
    return (
      <Tag kind="plain">{order.refund.state === 'succeeded' ? 'Refunded' : 'Being refunded'}</Tag>
    );
  if (order.state === 'captured') return <Tag kind="ok">Paid</Tag>;
  return <Tag kind="warn">{order.state.replaceAll('_', ' ')}</Tag>;
}

/** The exact time in Brisbane with seconds, as steps of a payment are seconds apart. */
const exactTimeFormat = new Intl.DateTimeFormat('en-AU', {
  timeZone: 'Australia/Brisbane',
  hour: 'numeric',
  minute: '2-digit',
  second: '2-digit',
  hour12: true,
});

function OrderTimeline({ order }: { order: OrderDetail }) {
  const [technical, setTechnical] = useState(false);
  const events = timelineOf(order);
  return (
    <section className="card panel" aria-labelledby="timeline-title">
      <div className="ops-panel-head">
        <h3 id="timeline-title">What happened</h3>
        <span className="meta">{dayText(order.createdAt)}, times in Brisbane</span>
      </div>
      <ol className="ops-timeline">
        {events.map(({ at, title, text, mark }, index) => {
          const previous = events[index - 1];
          return (
            <li key={`${index}-${title}`} className={`is-${mark}`}>
              <div>
                <strong>{title}</strong>
                {text ? <p>{text}</p> : null}
              </div>
              <time dateTime={at} title={dayAndTime(at)}>
                {dayText(at) === dayText(order.createdAt)
                  ? exactTimeFormat.format(Date.parse(at))
                  : `${dayText(at)}, ${timeOfDay(at)}`}
              </time>
              <span className="meta">
                {previous ? delayText(Date.parse(at) - Date.parse(previous.at)) : ''}
              </span>
            </li>
          );
        })}
      </ol>
      <button
        type="button"
        className="link-btn"
        aria-expanded={technical}
        onClick={() => setTechnical(!technical)}
      >
        Technical details
      </button>
      {technical ? (
        <FactList
          facts={[
            ['Order', <CopyableId key="order" id={order.id} full />],
            ['Payment intent', <CopyableId key="pi" id={order.paymentIntentId} full />],
            ['State', order.state],
            ['Consent given', order.consented ? 'yes' : 'no'],
          ]}
        />
      ) : null}
    </section>
  );
}

/** The money of an order as a sum: charged, less what went back and the fees, is the club's. */
export function moneyOf(
  order: OrderDetail,
  transaction: Transaction | undefined,
): { name: string; cents: number }[] {
  const charged = order.capturedAt ? signedCents(order.total) : 0;
  const refunded =
    order.refund && order.refund.state !== 'failed' ? signedCents(order.refund.amount) : 0;
  const returnedFee = order.refund ? signedCents(order.refund.feeReturned) : 0;
  const stripeFee = signedCents(order.stripeFee ?? transaction?.stripeFees);
  const platformFee = order.capturedAt ? signedCents(order.platformFee) - returnedFee : 0;
  return [
    { name: 'Charged', cents: charged },
    { name: 'Refunded', cents: -refunded },
    { name: `Stripe’s fee${order.stripeFee ? '' : ', estimated'}`, cents: -stripeFee },
    { name: 'Platform fee', cents: -platformFee },
    { name: 'Club receives', cents: charged - refunded - stripeFee - platformFee },
  ];
}

function OrderMoney({
  order,
  transaction,
}: Pick<OrderPageProps, 'transaction'> & { order: OrderDetail }) {
  return (
    <section className="card panel" aria-labelledby="money-title">
      <h3 id="money-title">Money</h3>
      <dl className="ops-money">
        {moneyOf(order, transaction).map(({ name, cents }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{signedDollars(cents)}</dd>
          </div>
        ))}
      </dl>
      {order.refund?.detail ? <p className="callout">{order.refund.detail}</p> : null}
      {transaction?.refundNote && !order.refund?.detail ? (
        <p className="callout">{transaction.refundNote}</p>
      ) : null}
      {order.whyNot && !order.refund ? <p className="meta">{order.whyNot}</p> : null}
    </section>
  );
}

function OrderBuyer({ order }: { order: OrderDetail }) {
  return (
    <section className="card panel" aria-labelledby="buyer-title">
      <h3 id="buyer-title">Buyer</h3>
      <p>
        <strong>{order.buyerName ?? O.guest}</strong>
      </p>
      {order.buyerEmail ? (
        <p>
          <a href={`mailto:${order.buyerEmail}`}>{order.buyerEmail}</a>
        </p>
      ) : null}
      {order.buyerPhone ? (
        <p>
          <a href={`tel:${order.buyerPhone.replaceAll(' ', '')}`}>{order.buyerPhone}</a>
        </p>
      ) : null}
      <p className="meta">Sold by {order.clubName ?? 'a club that is gone'}.</p>
    </section>
  );
}

function OrderTickets({ order }: { order: OrderDetail }) {
  const isValid = order.state === 'captured' || order.state === 'allocated';
  const count = order.lines.reduce((sum, line) => sum + line.ticketCount, 0);
  return (
    <section className="card panel" aria-labelledby="order-tickets-title">
      <div className="ops-panel-head">
        <h3 id="order-tickets-title">Tickets</h3>
        <span className="meta">
          {isValid ? count : 0} valid of {count}
        </span>
      </div>
      {order.lines.map((line) => (
        <div key={line.drawNumber}>
          <p>
            <Link href={`${CONSOLE_PATH}?section=draws&q=FD-${line.drawNumber}`}>
              FD-{line.drawNumber} {line.homeTeam} v {line.awayTeam}
            </Link>
          </p>
          <p className="meta">
            {line.ticketCount} × {amountText(line.ticketPrice)}
            {line.tickets.length > 0
              ? `: ${line.tickets.map(({ serialNumber }) => serialNumber).join(', ')}`
              : ''}
          </p>
        </div>
      ))}
      {order.refundable && count > 1 ? (
        <p className="meta">An order is refunded as a whole, with all of its tickets.</p>
      ) : null}
    </section>
  );
}
