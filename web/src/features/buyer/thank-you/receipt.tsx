import type { OrderResponse } from '@/api/wire';
import { orderReference } from '@/features/buyer/checkout/outcome/order-reference';
import { dayAndTime } from '@/shared/dates';
import { decimalToCents, formatDollars } from '@/shared/money';

/** The receipt: amount, payee and time. */
export function Receipt({ order }: { order: OrderResponse }) {
  return (
    <section className="card panel receipt-card" aria-labelledby="receipt-title">
      <h2 id="receipt-title">Receipt</h2>
      <dl className="receipt-facts">
        <div>
          <dt>Sold by</dt>
          <dd>{order.clubName}</dd>
        </div>
        {order.buyerName ? (
          <div>
            <dt>Bought by</dt>
            <dd>{order.buyerName}</dd>
          </div>
        ) : null}
        {order.purchasedAt ? (
          <div>
            <dt>Paid</dt>
            <dd>{dayAndTime(order.purchasedAt)}</dd>
          </div>
        ) : null}
        {order.paymentIntentId ? (
          <div>
            <dt>Reference</dt>
            <dd>{orderReference(order.paymentIntentId)}</dd>
          </div>
        ) : null}
      </dl>
      <table>
        <thead>
          <tr>
            <th scope="col">Tickets</th>
            <th scope="col">Price</th>
            <th scope="col">Amount</th>
          </tr>
        </thead>
        <tbody>
          {order.lines.map((line) => (
            <tr key={line.drawNumber}>
              <th scope="row">
                {line.ticketCount} × {line.homeTeam} v {line.awayTeam}
              </th>
              <td>{formatDollars(decimalToCents(line.ticketPrice))}</td>
              <td>{formatDollars(decimalToCents(line.ticketPrice) * line.ticketCount)}</td>
            </tr>
          ))}
          {decimalToCents(order.cardFee) > 0 ? (
            <tr>
              <th scope="row" colSpan={2}>
                Payment processing fees
              </th>
              <td>{formatDollars(decimalToCents(order.cardFee))}</td>
            </tr>
          ) : null}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={2}>
              Total (AUD)
            </th>
            <td>{formatDollars(order.amount)}</td>
          </tr>
        </tfoot>
      </table>
      <div className="actions no-print">
        <button type="button" className="btn small sec" onClick={() => window.print()}>
          Print receipt
        </button>
      </div>
    </section>
  );
}
