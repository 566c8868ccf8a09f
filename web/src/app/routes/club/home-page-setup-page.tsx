import '@/features/club/dashboard/dashboard.css';
import type { OwnClub } from '@/api/wire-club';
import type { PageProps } from '@/app/page-props';
import { ClubHero } from '@/features/buyer/club-page/club-hero';
import { contrastRatio, readableTextOn, clubThemeOf } from '@/shared/club-colours';
import { ClubPage } from '@/features/club/frame/club-page';
import { HomePageSetup } from '@/features/club/home-page/home-page-setup';
import { C } from '@/shared/strings-club';

/** Renders the header of the club's public page in the chosen colours. */
function renderPreview(club: OwnClub) {
  const theme = clubThemeOf(club);
  const colours = {
    '--club-primary': theme.primary,
    '--club-on-primary': readableTextOn(theme.primary),
    '--club-secondary': theme.secondary,
    '--club-accent': theme.accent,
    '--club-on-accent': readableTextOn(theme.accent),
  };
  return (
    <div className="club-scope" style={colours as React.CSSProperties}>
      <ClubHero club={club} />
    </div>
  );
}

function readableTextColour(colour: string) {
  const text = readableTextOn(colour);
  return {
    text: text === '#ffffff' ? ('white' as const) : ('black' as const),
    ratio: contrastRatio(text, colour),
  };
}

export function Page({ params }: PageProps) {
  return (
    <ClubPage slug={params.slug} page="home-page-setup" guestText={C.logInForPage}>
      {(here) => (
        <HomePageSetup here={here} preview={renderPreview} readable={readableTextColour} />
      )}
    </ClubPage>
  );
}
