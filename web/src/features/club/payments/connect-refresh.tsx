import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { usePageTitle } from '@/shared/ui/page-title';
import { AccessDenied, type ClubPageContext } from '../frame/club-page';
import { OWNERS_ONLY_TEXT, isOwner } from '../session/roles';
import { useStripeOnboarding } from './use-connect';

/**
 * Replaces a used or expired onboarding link of the payment provider with a new one at once
 * (decision B-13).
 */
export function StripeRefreshPage({ here }: { here: ClubPageContext }) {
  return isOwner(here.club) ? (
    <NewOnboardingLinkPage here={here} />
  ) : (
    <AccessDenied title="Payment Setup" text={OWNERS_ONLY_TEXT} club={here.club} />
  );
}

function NewOnboardingLinkPage({ here: { club } }: { here: ClubPageContext }) {
  const { pending, connect } = useStripeOnboarding(club.id);
  const requested = useRef(false);
  usePageTitle('Payment Setup');
  useEffect(() => {
    if (requested.current) return;
    requested.current = true;
    void connect();
  }, [connect]);
  return (
    <main className="plain-page" id="main">
      <h1>Payment Setup</h1>
      <p role="status">
        {pending ? C.settingUp : 'The last link was used up. Continue with a new one.'}
      </p>
      <div className="actions">
        <button
          type="button"
          className="btn"
          aria-disabled={pending}
          onClick={() => void connect()}
        >
          {pending ? C.settingUp : 'Continue setup'}
        </button>
        <Link className="btn sec" href="/admin">
          {C.returnToDashboard}
        </Link>
      </div>
    </main>
  );
}
