import '@/features/shared-grid/grid.css';
import '@/features/board/board.css';
import type { PageProps } from '@/app/page-props';
import { BoardResult } from '@/features/board/board-result';
import { BoardTally, type BoardOptions } from '@/features/board/board-tally';
import { useDrift, useRenewal, useWakeLock } from '@/features/board/board-room';
import { FreshnessBadge } from '@/features/shared-live/freshness-badge';
import { useDraw, useTopic } from '@/features/shared-live/use-live';
import { S } from '@/shared/strings';
import { usePageTitle } from '@/shared/ui/page-title';

function optionsOf(search: string): BoardOptions {
  const query = new URLSearchParams(search);
  return { compact: query.get('mode') === 'compact', qr: query.get('qr') === 'xl' ? 'xl' : null, loc: query.get('loc') };
}

/** The board of one draw, for the screen in the club house. Nobody touches it; it must look after itself. */
export function Page({ params }: PageProps) {
  const { draw, missing } = useDraw(Number(params.draw), 15_000);
  const options = optionsOf(window.location.search);
  const drift = useDrift();
  useWakeLock();
  useRenewal();
  useTopic('public');
  usePageTitle(draw ? `${draw.homeTeam} v ${draw.awayTeam}` : S.brand);
  if (missing) return <main className="board" id="main"><div className="board-in is-compact"><h1>{S.drawNotFound}</h1></div></main>;
  if (!draw) return <main className="board" id="main"><h1 className="sr">{S.brand}</h1></main>;
  const { homeFirstTryScorer: home, awayFirstTryScorer: away } = draw;
  const result = draw.status === 'completed' && home !== null && away !== null;
  const look = result ? ' is-result' : options.compact ? ' is-compact' : '';
  return (
    <main className="board" id="main">
      <div className={`board-in${look}`} style={{ transform: drift }}>
        {result ? <BoardResult key={`${home}-${away}`} draw={draw} home={home} away={away} /> : <BoardTally draw={draw} options={options} />}
        <div className="board-foot">
          <FreshnessBadge always />
          <span>{result ? draw.clubName : 'Winner: first try scorers’ numbers, home × away'}</span>
        </div>
      </div>
    </main>
  );
}
