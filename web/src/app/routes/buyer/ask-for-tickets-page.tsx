import '@/features/buyer/my-tickets/tickets.css';
import { useEffect, useState } from 'react';
import { fetchMyTickets, type OrdersOfEmailAddress } from '@/api/endpoints/public';
import { HttpError, withRetry } from '@/api/http';
import { TicketLinkRequestForm } from '@/features/buyer/my-tickets/ticket-link-request-form';
import { OwnOrdersList } from '@/features/buyer/my-tickets/own-orders';
import { SupportContacts } from '@/features/buyer/site/support-contacts';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { LoadFailed } from '@/shared/ui/load-failed';
import { usePageTitle } from '@/shared/ui/page-title';

type OrdersLookupState =
  | { status: 'asking' }
  | { status: 'found'; orders: OrdersOfEmailAddress }
  | { status: 'unknown' }
  | { status: 'failed' };

/**
 * Returns the secret after the `#` of a mailed link, or null. Only the API request for the buyer's
 * orders sends the secret to the server.
 */
const mailedLinkSecretOf = (hash: string): string | null =>
  /^#([0-9a-f]{64})$/i.exec(hash)?.[1] ?? null;

/**
 * Returns the secret of the mailed link and follows its changes: a link opened while the page is
 * shown changes only the part after the `#`.
 */
function useMailedLinkSecret(): string | null {
  const [secret, setSecret] = useState(() => mailedLinkSecretOf(window.location.hash));
  useEffect(() => {
    const onHash = () => setSecret(mailedLinkSecretOf(window.location.hash));
    window.addEventListener('hashchange', onHash);
    return () => window.removeEventListener('hashchange', onHash);
  }, []);
  return secret;
}

/**
 * Shows the buyer's tickets if the URL contains the secret of a mailed link. Otherwise offers to
 * send a link.
 */
export function Page() {
  const secret = useMailedLinkSecret();
  return secret ? <OrdersOfMailedLink key={secret} secret={secret} /> : <TicketLinkRequestPage />;
}

function TicketLinkRequestPage({ lapsed = false }: { lapsed?: boolean }) {
  const [inError, setInError] = useState(false);
  usePageTitle('My tickets', inError);
  return (
    <main className="plain-page" id="main">
      <h1>My tickets</h1>
      {lapsed ? (
        <div className="callout is-warn" role="status">
          <strong>This link is invalid or has expired.</strong>Ask for a new one below.
        </div>
      ) : null}
      <TicketLinkRequestForm onProblems={setInError} />
      <h2 className="help-head">{S.needHelpAsked}</h2>
      <SupportContacts />
    </main>
  );
}

function OrdersOfMailedLink({ secret }: { secret: string }) {
  const [lookup, setLookup] = useState<OrdersLookupState>({ status: 'asking' });
  const [turn, setTurn] = useState(0);
  usePageTitle('My tickets');
  useEffect(() => {
    let current = true;
    withRetry(() => fetchMyTickets(secret)).then(
      (orders) => current && setLookup({ status: 'found', orders }),
      (error: unknown) =>
        current &&
        setLookup({
          status: error instanceof HttpError && error.status === 404 ? 'unknown' : 'failed',
        }),
    );
    return () => {
      current = false;
    };
  }, [secret, turn]);
  if (lookup.status === 'unknown') return <TicketLinkRequestPage lapsed />;
  return (
    <main className="plain-page thanks" id="main" aria-busy={lookup.status === 'asking'}>
      <h1>My tickets</h1>
      {lookup.status === 'asking' ? <span className="skeleton" style={{ height: 180 }} /> : null}
      {lookup.status === 'found' ? <OwnOrdersList orders={lookup.orders} /> : null}
      {lookup.status === 'failed' ? (
        <LoadFailed
          title="Your tickets could not be loaded."
          text={S.tryLater}
          onRetry={() => {
            setLookup({ status: 'asking' });
            setTurn(turn + 1);
          }}
        />
      ) : null}
      <SupportContacts />
    </main>
  );
}
