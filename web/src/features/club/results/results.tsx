import './results.css';
import { useAtomValue, useSetAtom } from 'jotai';
import { Link } from 'wouter';
import { CLUB_API_PATHS, downloadWinnerReport } from '@/api/endpoints/club';
import type { Financials, OwnDraw, WinnersResponse } from '@/api/wire-club';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { saveFile } from '@/shared/save-file';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { LoadFailed } from '@/shared/ui/load-failed';
import { usePageTitle } from '@/shared/ui/page-title';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { drawBadgesOf, drawListNameOf, grossSalesText, teamsText } from '../dashboard/draw-labels';
import { errorText } from '../data/error-text';
import { isNotFoundError, useQuery } from '../data/use-query';
import { BackLink } from '../frame/club-frame';
import { ClubPageSkeleton, ClubLoadError, type ClubPageContext } from '../frame/club-page';
import { SELLERS_ONLY_TEXT, canSell } from '../session/roles';
import { useMutation } from '../session/use-session';
import { adminPath } from '../session/user';
import { PayoutSection } from './payout-section';
import { OverruledResultBanner } from './race-banner';
import { ResultEntryForm } from './result-entry';
import { UnsoldResult, WrongResultHelp } from './unsold-result';
import { useOwnDraw } from './use-own-draw';
import { WinnerCard } from './winner-card';
import { WinnerHiddenNote } from './winner-hidden-note';

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
  const { data: money } = useQuery<Financials>(CLUB_API_PATHS.financials(draw.drawNumber));
  const withoutBuyer = money?.ticketsWithoutBuyer ?? 0;
  const sold = draw.ticketsSold - withoutBuyer;
  return (
    <main className="admin results" id="main">
      <div className="result-nav">
        <BackLink club={club} />
        <div className="badges">
          {drawBadgesOf(draw, now).map(({ text, tone }) => (
            <span className={`badge ${tone}`} key={text}>
              {text}
            </span>
          ))}
        </div>
      </div>
      <section className="result-head">
        <h1>
          {draw.homeTeam} <span className="v">v</span> {draw.awayTeam}
        </h1>
        <p className="meta">
          Tickets sold {sold}/{TICKETS_PER_DRAW} · Total sales{' '}
          {grossSalesText({ ...draw, ticketsSold: sold })}
          {withoutBuyer > 0 ? ` · ${withoutBuyer} paid without a buyer, not counted` : ''}
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
  const winner = data.winningTickets[0];
  return (
    <>
      <OverruledResultBanner draw={draw} entered={data.entered} />
      {winner ? null : (
        <section className="card" aria-labelledby="winner-title">
          <h2 id="winner-title">The result is in</h2>
          {data.revealedAt ? (
            <WinnerHiddenNote at={data.revealedAt} timezone={draw.timezone} />
          ) : null}
        </section>
      )}
      {winner && !winner.sold ? <UnsoldResult draw={draw} winner={winner} /> : null}
      {winner?.sold ? (
        <>
          <WinnerCard draw={draw} winner={winner} prize={data.prize} namesShown={canSell(club)} />
          <PayoutSection draw={draw} winner={winner} answer={data} club={club} />
          <WrongResultHelp draw={draw} />
        </>
      ) : null}
      {canSell(club) ? <ReportButton number={draw.drawNumber} /> : null}
    </>
  );
}

function ReportButton({ number }: { number: number }) {
  const { run } = useMutation();
  const showToast = useSetAtom(showToastAtom);
  const download = () =>
    run(
      async () => saveFile(await downloadWinnerReport(number)),
      (error) =>
        showToast({ title: C.downloadFailed, text: errorText(error, C.pleaseTryAgain), bad: true }),
    );
  return (
    <div className="row-actions">
      <button type="button" className="btn sec" onClick={() => void download()}>
        {C.downloadReport}
      </button>
    </div>
  );
}
