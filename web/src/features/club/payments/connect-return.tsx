import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { CLUB_API_PATHS } from '@/api/endpoints/club';
import type { ConnectStatus } from '@/api/wire-club';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { usePageTitle } from '@/shared/ui/page-title';
import { useQuery } from '../data/use-query';
import type { ClubPageContext } from '../frame/club-page';
import { isOwner } from '../session/roles';
import { useStripeOnboarding } from './use-connect';

const ACCOUNT_POLL_INTERVAL_MS = 2_000;
/** Milliseconds during which the page says that the provider is still checking the account. */
const CHECKING_MESSAGE_SHOWN_MS = 10_000;
/** Milliseconds after which polling stops; the dashboard shows later changes. */
const ACCOUNT_POLLING_MS_MAX = 60_000;

/**
 * Page to which the payment provider returns the club after onboarding. Opening the page proves
 * nothing, so it polls the server (decision B-13).
 */
export function StripeReturnPage({ here: { club } }: { here: ClubPageContext }) {
  const [waitedMs, setWaitedMs] = useState(0);
  const stopped = waitedMs >= ACCOUNT_POLLING_MS_MAX;
  const { data } = useQuery<ConnectStatus>(CLUB_API_PATHS.connect(club.id), {
    intervalMs: stopped ? null : ACCOUNT_POLL_INTERVAL_MS,
  });
  const { pending, connect } = useStripeOnboarding(club.id);
  const connected = data?.connected === true;
  useEffect(() => {
    if (connected || stopped) return;
    const timer = setInterval(
      () => setWaitedMs((waited) => waited + ACCOUNT_POLL_INTERVAL_MS),
      ACCOUNT_POLL_INTERVAL_MS,
    );
    return () => clearInterval(timer);
  }, [connected, stopped]);
  const text = connected
    ? C.setupComplete
    : waitedMs < CHECKING_MESSAGE_SHOWN_MS
      ? C.checkingConnection
      : C.setupIncomplete;
  usePageTitle(text);
  return (
    <main className="plain-page" id="main">
      <div role="status">
        <h1>{text}</h1>
        {connected ? <p>Your club can create draws and be paid for them.</p> : null}
        {text === C.checkingConnection ? <p>This takes a few seconds.</p> : null}
        {text === C.setupIncomplete ? (
          <p>
            Stripe has not confirmed your account yet. You may have left a step out, or it is still
            being checked.
          </p>
        ) : null}
        {stopped && !connected ? (
          <p>
            We have stopped asking after a minute. The dashboard shows it as soon as Stripe
            confirms.
          </p>
        ) : null}
      </div>
      <div className="actions">
        {text === C.setupIncomplete && isOwner(club) ? (
          <button
            type="button"
            className="btn"
            aria-disabled={pending}
            onClick={() => void connect()}
          >
            {pending ? C.settingUp : 'Continue setup'}
          </button>
        ) : null}
        <Link
          className={text === C.setupIncomplete && isOwner(club) ? 'btn sec' : 'btn'}
          href="/admin"
        >
          {C.returnToDashboard}
        </Link>
      </div>
    </main>
  );
}
