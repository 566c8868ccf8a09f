import '@/features/buyer/landing/landing.css';
import '@/features/gallery/gallery.css';
import {
  ButtonsPart,
  ChoicesPart,
  ErrorListPart,
  FieldsPart,
  MenuPart,
} from '@/features/gallery/controls';
import {
  BadgesPart,
  CalloutsPart,
  ColourPart,
  CrashPart,
  DialogsPart,
  ProgressPart,
  TablePart,
  ToastsPart,
} from '@/features/gallery/states';
import { DrawCard } from '@/features/buyer/landing/draw-card';
import { useLiveDrawList } from '@/features/shared-live/use-live';
import { drawListAtom } from '@/features/shared-live/live-atoms';
import { clubBandVariables, readableTextColourOn } from '@/shared/club-colours';
import { usePageTitle } from '@/shared/ui/page-title';
import { useAtomValue } from 'jotai';

const CLUB = { primary: '#0b2e6b', secondary: '#071c42', accent: '#ffc72c' };
const CLUB_VARIABLES = {
  '--club-primary': CLUB.primary,
  '--club-on-primary': readableTextColourOn(CLUB.primary),
  '--club-secondary': CLUB.secondary,
  '--club-accent': CLUB.accent,
  '--club-on-accent': readableTextColourOn(CLUB.accent),
  ...clubBandVariables(CLUB.primary, CLUB.accent),
} as React.CSSProperties;

/** Every shared component in every state, in the platform's and in a club's colours. */
export function Page() {
  usePageTitle('Components');
  return (
    <main id="main" className="gallery">
      <div className="wrap">
        <h1>Components</h1>
        <p className="meta">Only the demo has this page.</p>
        <section className="gallery-theme" aria-labelledby="platform-theme">
          <h2 id="platform-theme">Platform</h2>
          <Parts theme="platform" />
        </section>
        <section
          className="gallery-theme club-scope themed"
          style={CLUB_VARIABLES}
          aria-labelledby="club-theme"
        >
          <h2 id="club-theme">Club: navy and gold</h2>
          <Parts theme="club" />
        </section>
      </div>
    </main>
  );
}

function Parts({ theme }: { theme: string }) {
  return (
    <div className="gallery-grid">
      <ColourPart />
      <BadgesPart />
      <ButtonsPart />
      <ChoicesPart />
      <FieldsPart />
      <ErrorListPart />
      <ProgressPart />
      <MenuPart />
      <DialogsPart />
      <ToastsPart />
      <CalloutsPart />
      <TablePart theme={theme} />
      <Cards theme={theme} />
      <CrashPart />
    </div>
  );
}

/** One card of the demo's draws in each list. */
function Cards({ theme }: { theme: string }) {
  return (
    <>
      {(['active', 'awaiting', 'completed'] as const).map((list) => (
        <FirstCard key={list} list={list} theme={theme} />
      ))}
    </>
  );
}

function FirstCard({ list, theme }: { list: 'active' | 'awaiting' | 'completed'; theme: string }) {
  useLiveDrawList(list);
  const number = useAtomValue(drawListAtom(list))?.[0];
  return number === undefined ? null : (
    <DrawCard
      drawNumber={number}
      awaiting={list === 'awaiting'}
      titleId={`gallery-${theme}-${list}`}
    />
  );
}
