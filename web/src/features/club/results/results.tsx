import './results.css';
import { useAtomValue } from 'jotai';
import { Link } from 'wouter';
import { CLUB_API_PATHS } from '@/api/endpoints/club';
import type { OwnDraw, WinnersResponse } from '@/api/wire-club';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { LoadFailed } from '@/shared/ui/load-failed';
import { usePageTitle } from '@/shared/ui/page-title';
import { drawBadgesOf, drawListNameOf, grossSalesText, teamsText } from '../dashboard/draw-labels';
import { isNotFoundError, useQuery } from '../data/use-query';
import { BackLink } from '../frame/club-frame';
import { ClubPageSkeleton, ClubLoadError, type ClubPageContext } from '../frame/club-page';
import { SELLERS_ONLY_TEXT, isOwner, canSell } from '../session/roles';
import { adminPath } from '../session/user';
import { PayoutSection } from './payout-section';
import { ResultEntryForm } from './result-entry';
import { useOwnDraw } from './use-own-draw';
import { WinnerCard } from './winner-card';

/** Result page of one draw: two numbers to enter, then the winner and the payout. */
export function ResultsPage({ here, number }: { here: ClubPageContext; number: number }) {
  const { data: draw, problem, retry } = useOwnDraw(number);
  usePageTitle(draw ? `Results – ${teamsText(draw)}` : C.enterResults);
  if (draw && draw.ownedByCaller !== false && (here.user.isAdmin || draw.clubId === here.club.id))
    return <DrawResults here={here} draw={draw} />;
  if (!draw && problem && !isNotFoundError(problem))
    return <ClubLoadError text={C.failedToFetchDraw} onRetry={retry} />;
  if (!draw && !problem) return <ClubPageSkeleton />;
  return (
    <main className="plain-page" id="main">
      <h1>{C.drawNotFound}</h1>
      <p>There is no such draw among your club’s.</p>
      <div className="actions">
        <Link className="btn" href={adminPath(here.club.slug)}>
          {C.returnToDashboard}
        </Link>
      </div>
    </main>
  );
}

function DrawResults({ here: { club }, draw }: { here: ClubPageContext; draw: OwnDraw }) {
  const now = useAtomValue(nowAtom);
  const list = drawListNameOf(draw, now);
  return (
    <main className="admin results" id="main">
      <BackLink club={club} />
      <section className="card result-head">
        <div className="badges">
          {drawBadgesOf(draw, now).map(({ text, tone }) => (
            <span className={`badge ${tone}`} key={text}>
              {text}
            </span>
          ))}
        </div>
        <h1>
          {draw.homeTeam} <span className="v">v</span> {draw.awayTeam}
        </h1>
        <p className="meta">
          Tickets sold {draw.ticketsSold}/{TICKETS_PER_DRAW} · Total sales {grossSalesText(draw)}
        </p>
      </section>
      {list === 'completed' ? (
        <CompletedResults club={club} draw={draw} />
      ) : !canSell(club) ? (
        <p className="callout is-warn">{SELLERS_ONLY_TEXT}</p>
      ) : (
        <ResultEntryForm draw={draw} club={club.id} early={list === 'active'} />
      )}
    </main>
  );
}

function CompletedResults({ club, draw }: { club: ClubPageContext['club']; draw: OwnDraw }) {
  const cancelled = draw.status === 'cancelled';
  const { data, problem, retry } = useQuery<WinnersResponse>(
    cancelled ? null : CLUB_API_PATHS.winners(draw.drawNumber),
  );
  if (cancelled)
    return <p className="callout is-warn">This draw was cancelled; every buyer is paid back.</p>;
  if (!data && problem) return <LoadFailed title={C.failedToFetchTickets} onRetry={retry} />;
  if (!data) return <span className="skeleton" style={{ height: 260 }} />;
  return (
    <>
      <WinnerCard
        number={draw.drawNumber}
        timezone={draw.timezone}
        answer={data}
        sells={canSell(club)}
      />
      {data.revealedAt ? null : (
        <PayoutSection
          number={draw.drawNumber}
          winner={data.winningTickets[0]}
          owns={isOwner(club)}
        />
      )}
    </>
  );
}
