import '@/features/buyer/my-tickets/tickets.css';
import type { PageProps } from '@/app/page-props';
import { TicketList } from '@/features/buyer/my-tickets/ticket-list';
import { SupportContacts } from '@/features/buyer/site/support-contacts';
import { FreshnessBadge } from '@/features/shared-live/freshness-badge';
import { useDrawTopics, useOrder } from '@/features/shared-live/use-live';
import { usePageTitle } from '@/shared/ui/page-title';

/** A buyer's own tickets, from the link in the mail. It shows itself to whoever has the link, and to nobody else. */
export function Page({ params }: PageProps) {
  const { order, missing } = useOrder(params.token ?? '', false);
  useDrawTopics(order?.lines.map((line) => line.drawNumber) ?? []);
  const title = missing ? 'Tickets not found' : 'My tickets';
  usePageTitle(title);
  return (
    <main className="plain-page thanks" id="main" aria-busy={!order && !missing}>
      <h1>{title}</h1>
      {missing ? <p>This link does not lead to any tickets. Please open it from your e-mail again.</p> : null}
      {!order && !missing ? <span className="bone" style={{ height: 180 }} /> : null}
      {order ? (
        <>
          <p>{words(order.status, order.buyerName)}</p>
          <FreshnessBadge />
          {order.lines.map((line) => <TicketList key={line.drawNumber} line={line} />)}
          <div className="no-print"><button type="button" className="btn sec" onClick={() => window.print()}>Print</button></div>
        </>
      ) : null}
      <SupportContacts />
    </main>
  );
}

function words(status: string, buyer: string | null): string {
  if (status === 'succeeded') return buyer ? `These tickets belong to ${buyer}. Keep this link to yourself.` : 'Keep this link to yourself.';
  if (status === 'not_charged') return 'No tickets were bought, and you have not been charged.';
  return 'Your tickets are being issued …';
}
