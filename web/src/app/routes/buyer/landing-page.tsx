import '@/features/buyer/landing/landing.css';
import { useState } from 'react';
import { ClubTilesRow, useClubs } from '@/features/buyer/landing/club-row';
import {
  AwaitingResultsSection,
  ActiveDrawsSection,
  RecentResultsSection,
} from '@/features/buyer/landing/draw-sections';
import {
  CallToAction,
  FeatureGrid,
  ClubStepsSection,
  LandingHero,
} from '@/features/buyer/landing/landing-parts';
import { FIND_FIELD_ID } from '@/features/buyer/landing/find';
import { FreshnessBadge } from '@/features/shared-live/freshness-badge';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { useBelowFold } from '@/shared/ui/use-below-fold';
import { usePageTitle } from '@/shared/ui/page-title';

/** The landing page. The live draws come before the results and the explanation for clubs. */
export function Page() {
  usePageTitle(S.brand);
  // Keeps what the visitor typed into the server's field before the scripts loaded.
  const [query, setQuery] = useState(
    () => document.querySelector<HTMLInputElement>(`#${FIND_FIELD_ID}`)?.value ?? '',
  );
  const clubs = useClubs();
  const belowFold = useBelowFold();
  return (
    <main id="main">
      <LandingHero query={query} onQuery={setQuery} />
      <div className="wrap">
        <FreshnessBadge />
        <ActiveDrawsSection query={query} clubs={clubs} />
        {belowFold ? (
          <>
            <AwaitingResultsSection />
            <ClubTilesRow clubs={clubs} />
            <ClubStepsSection />
            <RecentResultsSection />
            <FeatureGrid />
            <CallToAction />
          </>
        ) : (
          <div className="below-fold" />
        )}
      </div>
    </main>
  );
}
