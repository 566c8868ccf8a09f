import '@/features/buyer/my-tickets/tickets.css';
import { Link } from 'wouter';
import type { PageProps } from '@/app/page-props';
import { hasNoTickets, orderStatusText } from '@/features/buyer/my-tickets/order-status-text';
import { ReminderSwitch } from '@/features/buyer/my-tickets/reminder-switch';
import { TicketList } from '@/features/buyer/my-tickets/ticket-list';
import { SupportContacts } from '@/features/buyer/site/support-contacts';
import { FreshnessBadge } from '@/features/shared-live/freshness-badge';
import { useDrawSubscriptions, useLiveOrder } from '@/features/shared-live/use-live';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { LoadFailed } from '@/shared/ui/load-failed';
import { usePageTitle } from '@/shared/ui/page-title';

/** A buyer's tickets, from the mailed link. Only a holder of the link can open the page. */
export function Page({ params }: PageProps) {
  const { order, missing, failed, retry } = useLiveOrder(params.token ?? '', false);
  useDrawSubscriptions(order?.lines.map((line) => line.drawNumber) ?? []);
  const title = missing ? 'Tickets not found' : 'My tickets';
  usePageTitle(title);
  return (
    <main className="plain-page thanks" id="main" aria-busy={!order && !missing && !failed}>
      <h1>{title}</h1>
      {missing ? (
        <>
          <p>This link does not lead to any tickets. Please open it from your e-mail again.</p>
          <div className="actions">
            <Link className="btn" href="/my">
              Ask for a new link
            </Link>
          </div>
        </>
      ) : null}
      {failed ? (
        <LoadFailed title="Your tickets could not be loaded." text={S.tryLater} onRetry={retry} />
      ) : null}
      {!order && !missing && !failed ? <span className="skeleton" style={{ height: 180 }} /> : null}
      {order ? (
        <>
          <p>
            {orderStatusText(order) ??
              (order.buyerName
                ? `These tickets belong to ${order.buyerName}. Keep this link to yourself.`
                : 'Keep this link to yourself.')}
          </p>
          <FreshnessBadge />
          {hasNoTickets(order)
            ? null
            : order.lines.map((line) => (
                <TicketList key={line.drawNumber} line={line} token={order.orderToken} />
              ))}
          <ReminderSwitch token={order.orderToken} />
          <div className="no-print">
            <button type="button" className="btn sec" onClick={() => window.print()}>
              Print
            </button>
          </div>
        </>
      ) : null}
      <SupportContacts />
    </main>
  );
}
