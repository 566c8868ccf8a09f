import '@/features/buyer/landing/landing.css';
import { ClubTilesRow } from '@/features/buyer/landing/club-row';
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
import { FreshnessBadge } from '@/features/shared-live/freshness-badge';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { usePageTitle } from '@/shared/ui/page-title';

/** The landing page. The live draws come before the results and the explanation for clubs. */
export function Page() {
  usePageTitle(S.brand);
  return (
    <main id="main">
      <LandingHero />
      <div className="wrap">
        <FreshnessBadge />
        <ActiveDrawsSection />
        <AwaitingResultsSection />
        <ClubTilesRow />
        <ClubStepsSection />
        <RecentResultsSection />
        <FeatureGrid />
        <CallToAction />
      </div>
    </main>
  );
}
