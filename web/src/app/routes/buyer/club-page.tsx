import '@/features/buyer/landing/landing.css';
import { useAtomValue } from 'jotai';
import { Link } from 'wouter';
import type { Club } from '@/api/wire';
import type { PageProps } from '@/app/page-props';
import { AddToCart } from '@/features/buyer/cart/add-to-cart';
import { ClubHero } from '@/features/buyer/club-page/club-hero';
import { useClub } from '@/features/buyer/club-page/use-club';
import { DrawCard } from '@/features/buyer/landing/draw-card';
import { readableOn, themeOf } from '@/features/buyer/site/club-colours';
import { HowItWorks } from '@/features/buyer/site/how-it-works';
import { SupportContacts } from '@/features/buyer/site/support-contacts';
import { phaseOf } from '@/features/shared-live/draw-phase';
import { liveAtom, nowAtom } from '@/features/shared-live/live-atoms';
import { useTopic } from '@/features/shared-live/use-live';
import { S } from '@/shared/strings';
import { usePageTitle } from '@/shared/ui/page-title';

const RECENT_SHOWN = 6;

/** A club's own front door, in its own colours. */
export function Page({ params }: PageProps) {
  const state = useClub(params.slug ?? '');
  useTopic('draws');
  usePageTitle(state.at === 'known' ? state.club.homePageTitle || state.club.name : state.at === 'failed' ? S.pageNotFound : S.brand);
  if (state.at === 'asking') return <main className="plain-page" id="main" aria-busy="true"><h1 className="sr">Loading the club</h1><span className="bone" style={{ height: 220 }} /></main>;
  if (state.at === 'failed') {
    return (
      <main className="plain-page" id="main">
        <h1>{S.pageNotFound}</h1>
        <p>{state.words}</p>
        <div className="actions"><Link className="btn" href="/">Home</Link><Link className="btn sec" href="/#live-draws">Find Draws</Link></div>
      </main>
    );
  }
  const theme = themeOf(state.club);
  const colours = { '--club-primary': theme.primary, '--club-on-primary': readableOn(theme.primary), '--club-secondary': theme.secondary, '--club-accent': theme.accent, '--club-on-accent': readableOn(theme.accent) };
  return (
    <main id="main" className="club-scope" style={colours as React.CSSProperties}>
      <ClubHero club={state.club} />
      <div className="wrap"><Sections club={state.club} /></div>
    </main>
  );
}

function Sections({ club }: { club: Club }) {
  const draws = useAtomValue(liveAtom).draws;
  const now = useAtomValue(nowAtom);
  const listed = (club.activeDraws ?? []).map((draw) => draws[draw.drawNumber] ?? draw);
  const active = listed.filter((draw) => ['active', 'soldOut'].includes(phaseOf(draw, now)));
  const awaiting = listed.filter((draw) => phaseOf(draw, now) === 'closed');
  const completed = (club.completedDraws ?? []).slice(0, RECENT_SHOWN);
  return (
    <>
      <section className="section" id="live-draws" aria-labelledby="live-title">
        <div className="section-head"><h2 id="live-title">Live Draws</h2></div>
        {active.length === 0 ? <div className="card empty"><strong>{completed.length + awaiting.length === 0 ? S.comingSoon : S.noActiveRightNow}</strong></div> : null}
        <div className="draw-grid">
          {active.map((draw) => <DrawCard key={draw.drawNumber} drawNumber={draw.drawNumber}>{phaseOf(draw, now) === 'active' ? <AddToCart draw={draw} /> : null}</DrawCard>)}
        </div>
      </section>
      {awaiting.length > 0 ? (
        <section className="section" aria-labelledby="finished-title">
          <div className="section-head"><h2 id="finished-title">{S.gamesFinished}</h2></div>
          <div className="draw-grid">{awaiting.map((draw) => <DrawCard key={draw.drawNumber} drawNumber={draw.drawNumber} awaiting />)}</div>
        </section>
      ) : null}
      <section className="section" aria-labelledby="how-title"><div className="section-head"><h2 id="how-title">{S.howItWorks}</h2></div><div className="card how"><HowItWorks /></div></section>
      {completed.length > 0 ? (
        <section className="section" aria-labelledby="recent-title">
          <div className="section-head"><h2 id="recent-title">{S.recentResults}</h2></div>
          <div className="draw-grid">{completed.map((draw) => <DrawCard key={draw.drawNumber} drawNumber={draw.drawNumber} />)}</div>
        </section>
      ) : null}
      <section className="section" aria-labelledby="help-title"><div className="section-head"><h2 id="help-title">{S.needHelpAsked}</h2></div><SupportContacts /></section>
      <section className="call" aria-labelledby="other-title"><h2 id="other-title">{S.notYourClub}</h2><p>Find your own club’s draws, or start one.</p><div className="land-actions" style={{ justifyContent: 'center' }}><Link className="btn sec" href="/">Home</Link><Link className="btn sec" href="/#live-draws">Find Draws</Link></div></section>
    </>
  );
}
