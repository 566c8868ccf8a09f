import { ShareTargets } from '@/features/buyer/site/share-targets';
import { orderReference } from '@/features/buyer/checkout/outcome/order-reference';
import { useSetAtom } from 'jotai';
import { Link } from 'wouter';
import type { OrderResponse } from '@/api/wire';
import { orderStatusText } from '@/features/buyer/my-tickets/order-status-text';
import { TicketList } from '@/features/buyer/my-tickets/ticket-list';
import {
  CONFIRMING_PAYMENT_TITLE,
  chargeOutcomeText,
  confirmingPaymentText,
} from '@/features/buyer/checkout/state/checkout';
import type { PurchaseSummary } from '@/features/buyer/checkout/state/summary';
import { decimalToCents, formatDollars } from '@/shared/money';
import { PUBLIC_TEXTS as S, fillPlaceholders } from '@/shared/strings';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { shareOrCopy } from '@/features/buyer/site/share';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { calendarUrl } from './calendar';
import type { LastPayment } from './last-payment';

interface PaymentOutcomeProps {
  order: OrderResponse | undefined;
  summary: PurchaseSummary;
  /** The payment whose order is requested. Without a payment, only the stored summary is shown. */
  payment: LastPayment | null;
  gaveUp: boolean;
  untouched: boolean;
  serverMessage: string | null;
}

const REFUND_HEADINGS: Partial<Record<string, string>> = {
  refunding: 'Your payment is being refunded',
  refunded: 'Your payment was refunded',
  refund_failed: 'Your refund did not arrive',
};

/** Shows the outcome of the payment: tickets, refund, no charge, or still being confirmed. */
export function PaymentOutcomeCard({
  order,
  summary,
  payment,
  gaveUp,
  untouched,
  serverMessage,
}: PaymentOutcomeProps) {
  if (order?.status === 'not_charged') {
    return (
      <div className="card thanks-head" role="alert">
        <h1>No tickets were bought</h1>
        <p>{chargeOutcomeText(order.reason ?? '', false)}</p>
      </div>
    );
  }
  const refundHeading = order ? REFUND_HEADINGS[order.status] : undefined;
  if (order && refundHeading) {
    return (
      <div className="card thanks-head" role="alert">
        <h1>{refundHeading}</h1>
        <p>{orderStatusText(order)}</p>
      </div>
    );
  }
  if (untouched) {
    return (
      <div className="card thanks-head" role="alert">
        <h1>Your payment was not completed</h1>
        <p>You have not been charged. Your tickets are not bought yet.</p>
        <div className="actions">
          <Link className="btn" href={`/draw/${summary.draws[0]?.drawNumber ?? ''}`}>
            Try again
          </Link>
        </div>
      </div>
    );
  }
  if (summary.demo) {
    return (
      <div className="card thanks-head">
        <span className="badge is-demo">Demo</span>
        <h1>Thank you, {summary.customerName}</h1>
        <p>This is a sample. Nothing was bought and nobody was charged.</p>
      </div>
    );
  }
  const reference = order?.paymentIntentId ?? payment?.paymentIntentId;
  if (serverMessage !== null || order?.status === 'requires_payment_method') {
    return (
      <div className="card thanks-head" role="status">
        <h1>{CONFIRMING_PAYMENT_TITLE}</h1>
        <p>
          {confirmingPaymentText({
            state: gaveUp ? 'lost' : 'confirming',
            serverMessage: serverMessage ?? undefined,
          })}
        </p>
        {reference ? <p className="meta">Reference {orderReference(reference)}</p> : null}
      </div>
    );
  }
  const issued = order?.status === S.succeeded;
  const count = summary.totalTickets;
  return (
    <div className="card thanks-head is-paid">
      <span className="done-mark" aria-hidden="true">
        ✓
      </span>
      <h1>Thank you, {order?.buyerName || summary.customerName}</h1>
      <div role="status">
        {issued ? (
          <p>
            {count} {count === 1 ? 'ticket' : 'tickets'} bought for {formatDollars(order.amount)}.{' '}
            {order.buyerEmailMasked ? (
              <>
                A confirmation is on its way to{' '}
                <span className="mail">{order.buyerEmailMasked}</span>.
              </>
            ) : null}
          </p>
        ) : payment === null ? (
          <p>Your tickets are in your e-mail.</p>
        ) : (
          <p>
            Your payment went through. Your tickets are being issued
            {gaveUp
              ? '. A confirmation e-mail should follow; if it does not, please contact support.'
              : '…'}
          </p>
        )}
      </div>
      {reference ? <p className="meta">Reference {orderReference(reference)}</p> : null}
    </div>
  );
}

/** Shows the tickets once the server has sent them, and the stored summary until then. */
export function BoughtTickets({
  order,
  summary,
}: {
  order: OrderResponse | undefined;
  summary: PurchaseSummary;
}) {
  if (order && order.status === S.succeeded)
    return order.lines.map((line) => (
      <TicketList key={line.drawNumber} line={line} token={order.orderToken} />
    ));
  return summary.draws.map((draw) => (
    <section key={draw.drawNumber} className="card panel">
      <h2>{draw.matchName}</h2>
      <p className="meta">
        {draw.ticketCount} {draw.ticketCount === 1 ? 'ticket' : 'tickets'} · {draw.ticketsSold}/
        {draw.totalTickets} sold · prize pool{' '}
        {order
          ? formatDollars(decimalToCents(draw.prizePool))
          : `about ${formatDollars(decimalToCents(draw.prizePool))} (estimate)`}
      </p>
    </section>
  ));
}

/**
 * Buttons that share the match, the current prize and the tickets sold, from the server once loaded
 * (specification line A:310).
 */
export function ShareBox({
  order,
  summary,
}: {
  order: OrderResponse | undefined;
  summary: PurchaseSummary;
}) {
  const showToast = useSetAtom(showToastAtom);
  const first = summary.draws[0];
  if (!first) return null;
  const line = order?.lines.find((bought) => bought.drawNumber === first.drawNumber);
  const sold = line?.ticketsSold ?? first.ticketsSold;
  const prize = line ? `Current prize ${formatDollars(decimalToCents(line.currentPrize))}, ` : '';
  const url = `${window.location.origin}/draw/${first.drawNumber}`;
  const others = summary.draws.length - 1;
  const games =
    others === 0
      ? `the ${first.matchName} draw`
      : `${first.matchName} and ${others} more ${others === 1 ? 'draw' : 'draws'}`;
  const text = `I just backed ${summary.clubName} with ${summary.totalTickets} ${summary.totalTickets === 1 ? 'ticket' : 'tickets'} in ${games}. ${prize}${sold}/${TICKETS_PER_DRAW} tickets sold. Join in:`;
  const what = { title: first.matchName, text, url };
  const send = async (via?: Pick<Navigator, 'clipboard'>) => {
    const toast = await shareOrCopy(what, via);
    if (toast) showToast(toast);
  };
  return (
    <section className="card panel no-print" aria-labelledby="share-title">
      <h2 id="share-title">Bring a mate</h2>
      <p className="share-box">
        {text}
        {'\n'}
        {url}
      </p>
      <div className="actions">
        <button type="button" className="btn" onClick={() => void send()}>
          Share
        </button>
        <button
          type="button"
          className="btn sec"
          onClick={() => void send({ clipboard: navigator.clipboard })}
        >
          Copy to Clipboard
        </button>
      </div>
      <ShareTargets what={what} />
    </section>
  );
}

export function NextSteps({
  order,
  summary,
  children,
}: {
  order: OrderResponse | undefined;
  summary: PurchaseSummary;
  children: React.ReactNode;
}) {
  const games = (order?.lines ?? []).map((line) => line.drawNumber);
  const club = summary.clubSlug ? `/club/${summary.clubSlug}` : '/';
  return (
    <div className="actions no-print">
      <Link className="btn" href={club}>
        {fillPlaceholders(S.returnToClub, { club: summary.clubName })}
      </Link>
      <Link className="btn sec" href="/">
        {S.browseOtherClubs}
      </Link>
      {games.length > 0 ? (
        <a className="btn sec" href={calendarUrl(games)}>
          Add to calendar
        </a>
      ) : null}
      {order ? (
        <Link className="btn sec" href={`/my/${order.orderToken}`}>
          My tickets
        </Link>
      ) : null}
      {children}
    </div>
  );
}
