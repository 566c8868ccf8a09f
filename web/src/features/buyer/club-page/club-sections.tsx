import { useAtomValue } from 'jotai';
import { Link } from 'wouter';
import type { Club, Draw } from '@/api/wire';
import { AddToCart } from '@/features/buyer/cart/add-to-cart';
import { DrawCard } from '@/features/buyer/landing/draw-card';
import { DrawCardsSkeleton } from '@/features/buyer/landing/draw-sections';
import { HowItWorks } from '@/features/buyer/site/how-it-works';
import { SupportContacts } from '@/features/buyer/site/support-contacts';
import { futureOpeningTimeOf, drawPhaseOf } from '@/features/shared-live/draw-phase';
import { liveStateAtom, nowAtom } from '@/features/shared-live/live-atoms';
import { dayAndTime } from '@/shared/dates';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { LoadFailed } from '@/shared/ui/load-failed';
import { OffersSection } from './offers-section';
import { useClubDraws } from './use-club';
import { useOffers } from './use-offers';

const RECENT_RESULTS_SHOWN = 6;

/** All sections below a club's hero, in the specified order. */
export function ClubSections({ club }: { club: Club }) {
  const { active, awaiting, answered, failed, retry } = useClubDraws(club);
  const offers = useOffers(club.slug);
  // Whether the draws and the offers have loaded. The sections below them appear together, so that
  // nothing moves while the visitor reads.
  const allLoaded = answered && offers.answered;
  const completed = (club.completedDraws ?? [])
    .slice(0, RECENT_RESULTS_SHOWN)
    .map((draw) => draw.drawNumber);
  const empty = active.length + awaiting.length + completed.length + offers.offers.length === 0;
  return (
    <>
      <section className="section" id="live-draws" aria-labelledby="live-draws-title">
        <div className="section-head">
          <h2 id="live-draws-title">Live Draws</h2>
        </div>
        {failed ? <LoadFailed title={S.failedToLoadDraws} onRetry={retry} /> : null}
        {active.length === 0 && !allLoaded && !failed ? <DrawCardsSkeleton /> : null}
        {active.length === 0 && allLoaded ? (
          <NoActiveDraws comingSoon={empty} club={club.name} />
        ) : null}
        {active.length > 0 ? (
          <div className="draw-grid">
            {active.map((number) => (
              <DrawOnSaleCard key={number} drawNumber={number} />
            ))}
          </div>
        ) : null}
      </section>
      {allLoaded ? (
        <OffersAndResultsSections
          club={club}
          offers={offers}
          awaiting={awaiting}
          completed={completed}
        />
      ) : null}
    </>
  );
}

interface OffersAndResultsProps {
  club: Club;
  offers: ReturnType<typeof useOffers>;
  awaiting: readonly number[];
  completed: readonly number[];
}

function OffersAndResultsSections({ club, offers, awaiting, completed }: OffersAndResultsProps) {
  return (
    <>
      <OffersSection {...offers} />
      {awaiting.length > 0 ? <FinishedGamesSection numbers={awaiting} /> : null}
      <section className="section" aria-labelledby="how-title">
        <div className="section-head">
          <h2 id="how-title">{S.howItWorks}</h2>
        </div>
        <div className="card how">
          <HowItWorks />
        </div>
      </section>
      {completed.length > 0 ? (
        <section className="section" aria-labelledby="recent-title">
          <div className="section-head">
            <h2 id="recent-title">{S.recentResults}</h2>
          </div>
          <div className="draw-grid">
            {completed.map((number) => (
              <DrawCard key={number} drawNumber={number} />
            ))}
          </div>
        </section>
      ) : null}
      {club.sponsorName ? (
        <SponsorLine name={club.sponsorName} logoUrl={club.sponsorLogoUrl ?? null} />
      ) : null}
      <ClubContact />
    </>
  );
}

function NoActiveDraws({ comingSoon, club }: { comingSoon: boolean; club: string }) {
  return (
    <div className="card empty">
      <strong>{comingSoon ? S.comingSoon : S.noActiveRightNow}</strong>
      <p>
        {comingSoon
          ? `${club} has not opened a draw yet. Come back before the next game.`
          : 'The next one opens before the next game.'}
      </p>
    </div>
  );
}

/** A draw card with a cart button while the draw has tickets to sell. */
function DrawOnSaleCard({ drawNumber }: { drawNumber: number }) {
  const draw = useAtomValue(liveStateAtom).draws[drawNumber];
  const now = useAtomValue(nowAtom);
  return (
    <DrawCard drawNumber={drawNumber}>
      {draw && drawPhaseOf(draw, now) === 'active' && !futureOpeningTimeOf(draw, now) ? (
        <AddToCart draw={draw} />
      ) : null}
    </DrawCard>
  );
}

/** The club's finished games: league, teams and date, as specified. */
function FinishedGamesSection({ numbers }: { numbers: readonly number[] }) {
  const draws = useAtomValue(liveStateAtom).draws;
  return (
    <section className="section" aria-labelledby="finished-title">
      <div className="section-head">
        <h2 id="finished-title">{S.gamesFinished}</h2>
      </div>
      <ul className="card finished">
        {numbers
          .map((number) => draws[number])
          .filter((draw): draw is Draw => draw !== undefined)
          .map((draw) => (
            <li key={draw.drawNumber}>
              <div>
                {draw.league ? <span className="meta">{draw.league}</span> : null}
                <strong>
                  {draw.homeTeam} v {draw.awayTeam}
                </strong>
                <span className="meta">{dayAndTime(draw.gameDate, draw.timezone)}</span>
              </div>
              <Link href={`/draw/${draw.drawNumber}`}>
                See draw
                <span className="sr">
                  : {draw.homeTeam} v {draw.awayTeam}
                </span>
              </Link>
            </li>
          ))}
      </ul>
    </section>
  );
}

function SponsorLine({ name, logoUrl }: { name: string; logoUrl: string | null }) {
  return (
    <section className="card panel sponsor" aria-labelledby="sponsor-title">
      <h2 id="sponsor-title">Proudly supported by</h2>
      <p>
        {logoUrl ? <img src={logoUrl} alt="" height="56" loading="lazy" /> : null}
        <strong>{name}</strong>
      </p>
    </section>
  );
}

function ClubContact() {
  return (
    <div className="club-foot">
      <section className="card panel" aria-labelledby="help-title">
        <h2 id="help-title">{S.needHelpAsked}</h2>
        <p>
          Questions about a particular draw go to the person named on its page. For anything else:
        </p>
        <SupportContacts />
      </section>
      <section className="card panel" aria-labelledby="other-title">
        <h2 id="other-title">{S.notYourClub}</h2>
        <p>Find your own club’s draws, or start one.</p>
        <div className="actions">
          <Link className="btn sec" href="/">
            Home
          </Link>
          <Link className="btn sec" href="/#live-draws">
            Find Draws
          </Link>
        </div>
      </section>
    </div>
  );
}
