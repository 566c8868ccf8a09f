import { CLUB_API_PATHS } from '@/api/endpoints/club';
import type { ConnectStatus } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { useQuery } from '../data/use-query';
import type { CurrentClub } from '../frame/club-frame';
import { useStripeOnboarding } from '../payments/use-connect';
import { isOwner } from '../session/roles';
import { DASHBOARD_POLL_INTERVAL_MS } from './use-club-draws';

/** Shows whether the payment account is connected (specification line B:45). */
export function PaymentSetupCard({ club }: { club: CurrentClub }) {
  const { data, problem, retry } = useQuery<ConnectStatus>(CLUB_API_PATHS.connect(club.id), {
    intervalMs: DASHBOARD_POLL_INTERVAL_MS,
  });
  const { pending, connect } = useStripeOnboarding(club.id);
  // A failed status request gives `unknown`, because the club must not be asked to connect an
  // account that may be connected already.
  const state = data ? (data.connected ? 'connected' : 'open') : problem ? 'unknown' : 'checking';
  return (
    <section className="card" aria-labelledby="payment-title">
      <h2 id="payment-title">Payment Setup Status</h2>
      <div role="status" className="pay-state">
        {state === 'checking' ? <p className="lead">Checking your payment account</p> : null}
        {state === 'connected' ? (
          <>
            <span className="badge is-active">Connected</span>
            <p>Ticket money goes straight to your club’s Stripe account.</p>
            {data?.payoutsEnabled === false ? (
              <p className="lead">
                Stripe still asks for something before it pays out to your bank.
              </p>
            ) : null}
          </>
        ) : null}
        {state === 'unknown' ? (
          <p className="lead">Your payment account could not be checked.</p>
        ) : null}
        {state === 'open' ? (
          <>
            <span className="badge is-awaiting">Not connected</span>
            <p>{C.connectFirst}</p>
          </>
        ) : null}
      </div>
      {state === 'unknown' ? (
        <div className="row-actions">
          <button type="button" className="btn small sec" onClick={() => void retry()}>
            Retry
          </button>
        </div>
      ) : null}
      {state === 'open' && !isOwner(club) ? (
        <p className="lead">An owner of the club can connect it.</p>
      ) : null}
      {state === 'open' && !club.archived && isOwner(club) ? (
        <div className="row-actions">
          <button
            type="button"
            className="btn small"
            aria-disabled={pending}
            onClick={() => void connect()}
          >
            {pending ? C.settingUp : 'Connect Stripe account'}
          </button>
        </div>
      ) : null}
    </section>
  );
}
