import '@/features/shared-grid/grid.css';
import '@/features/buyer/verify/verify.css';
import { Link } from 'wouter';
import type { PageProps } from '@/app/page-props';
import { CommitmentBeforeReveal } from '@/features/buyer/verify/commitment-before-reveal';
import { useProof } from '@/features/buyer/verify/use-proof';
import { VerdictView } from '@/features/buyer/verify/verdict-view';
import { useLiveDraw } from '@/features/shared-live/use-live';
import { dayAndTime } from '@/shared/dates';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { usePageTitle } from '@/shared/ui/page-title';

/** Lets anyone check that each ticket's pair was fixed before the first sale. */
export function Page({ params }: PageProps) {
  const drawNumber = Number(params.draw);
  const { draw } = useLiveDraw(drawNumber);
  const state = useProof(drawNumber, draw?.status);
  const title = state.status === 'missing' ? S.drawNotFound : `Verify draw ${drawNumber}`;
  usePageTitle(title);
  if (state.status === 'missing') {
    return (
      <main className="plain-page" id="main">
        <h1>{title}</h1>
        <p>{S.drawNotFoundText}</p>
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
  return (
    <main className="plain-page verify" id="main" aria-busy={state.status === 'asking'}>
      <h1>{title}</h1>
      {draw ? (
        <p className="meta">
          {draw.homeTeam} v {draw.awayTeam} · {dayAndTime(draw.gameDate, draw.timezone)}
        </p>
      ) : null}
      {state.status === 'asking' ? <p role="status">Computing the deal …</p> : null}
      {state.status === 'failed' ? (
        <div className="callout is-bad" role="alert">
          <strong>The proof could not be checked.</strong>
          {state.text}
          <div>
            <button type="button" className="btn small sec" onClick={state.retry}>
              Try again
            </button>
          </div>
        </div>
      ) : null}
      {state.status === 'known' && state.verdict ? (
        <VerdictView proof={state.proof} verdict={state.verdict} draw={draw} />
      ) : null}
      {state.status === 'known' && !state.verdict ? (
        <CommitmentBeforeReveal proof={state.proof} draw={draw} />
      ) : null}
      {state.status === 'asking' ? null : (
        <div className="actions">
          <Link className="btn sec" href={`/draw/${drawNumber}`}>
            Back to the draw
          </Link>
        </div>
      )}
    </main>
  );
}
