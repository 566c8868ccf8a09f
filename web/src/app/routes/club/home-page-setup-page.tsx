import '@/features/club/dashboard/dashboard.css';
import type { OwnClub } from '@/api/wire-club';
import type { PageProps } from '@/app/page-props';
import { ClubHero } from '@/features/buyer/club-page/club-hero';
import { contrastRatio, readableTextColourOn, clubThemeOf } from '@/shared/club-colours';
import { ClubPage } from '@/features/club/frame/club-page';
import { HomePageSetup } from '@/features/club/home-page/home-page-setup';
import { CLUB_TEXTS as C } from '@/shared/strings-club';

/** Renders the header of the club's public page in the chosen colours. */
function renderClubHeaderPreview(club: OwnClub) {
  const theme = clubThemeOf(club);
  const colours = {
    '--club-primary': theme.primary,
    '--club-on-primary': readableTextColourOn(theme.primary),
    '--club-secondary': theme.secondary,
    '--club-accent': theme.accent,
    '--club-on-accent': readableTextColourOn(theme.accent),
  };
  return (
    <div className="club-scope" style={colours as React.CSSProperties}>
      <ClubHero club={club} />
    </div>
  );
}

function textColourWithContrast(colour: string) {
  const text = readableTextColourOn(colour);
  return {
    text: text === '#ffffff' ? ('white' as const) : ('black' as const),
    ratio: contrastRatio(text, colour),
  };
}

export function Page({ params }: PageProps) {
  return (
    <ClubPage slug={params.slug} page="home-page-setup" guestText={C.logInForPage}>
      {(here) => (
        <HomePageSetup
          here={here}
          preview={renderClubHeaderPreview}
          readable={textColourWithContrast}
        />
      )}
    </ClubPage>
  );
}
