import '@/features/buyer/landing/landing.css';
import '@/features/buyer/club-page/club-page.css';
import { Link } from 'wouter';
import type { Club } from '@/api/wire';
import type { PageProps } from '@/app/page-props';
import { ClubHero } from '@/features/buyer/club-page/club-hero';
import { ClubSections } from '@/features/buyer/club-page/club-sections';
import { MarketingConsentBar } from '@/features/buyer/club-page/consent-bar';
import { useCanonicalClubUrl, useClub } from '@/features/buyer/club-page/use-club';
import { useClubColours } from '@/features/buyer/club-page/use-club-colours';
import { useClubPixel } from '@/features/buyer/club-page/use-pixel';
import { FreshnessBadge } from '@/features/shared-live/freshness-badge';
import { useTopicSubscription } from '@/features/shared-live/use-live';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { usePageTitle } from '@/shared/ui/page-title';

/** A club's public page, in the club's colours. */
export function Page({ params }: PageProps) {
  const slug = params.slug ?? '';
  const state = useClub(slug);
  const club = state.status === 'known' ? state.club : null;
  useCanonicalClubUrl(slug, club);
  useClubColours(club);
  useTopicSubscription('draws');
  const title =
    slug === ''
      ? S.invalidClubPage
      : state.status === 'failed'
        ? S.pageNotFound
        : club
          ? club.homePageTitle || club.name
          : S.brand;
  usePageTitle(title);
  if (slug === '')
    return (
      <ClubUnavailable
        title={title}
        text="This address does not say which club. It may be cut short."
      />
    );
  if (state.status === 'failed') return <ClubUnavailable title={title} text={state.text} />;
  if (!club)
    return (
      <main className="plain-page" id="main" aria-busy="true">
        <h1 className="sr">Loading the club</h1>
        <span className="skeleton" style={{ height: 220 }} />
      </main>
    );
  return <LoadedClub key={club.id} club={club} />;
}

function ClubUnavailable({ title, text }: { title: string; text: string }) {
  return (
    <main className="plain-page" id="main">
      <h1>{title}</h1>
      <p>{text}</p>
      <div className="actions">
        <Link className="btn" href="/">
          Home
        </Link>
        <Link className="btn sec" href="/#live-draws">
          Find Draws
        </Link>
      </div>
    </main>
  );
}

function LoadedClub({ club }: { club: Club }) {
  useClubPixel(club.facebookPixelId);
  return (
    <main id="main" className="club-scope themed">
      <ClubHero club={club} />
      <div className="wrap">
        <FreshnessBadge />
        <ClubSections club={club} />
      </div>
      {club.facebookPixelId ? <MarketingConsentBar club={club.name} /> : null}
    </main>
  );
}
