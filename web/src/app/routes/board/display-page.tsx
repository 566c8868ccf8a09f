import '@/features/shared-grid/grid.css';
import '@/features/board/board.css';
import { fetchDrawWidget } from '@/api/endpoints/public';
import type { PageProps } from '@/app/page-props';
import { BoardFrame } from '@/features/board/board-frame';
import { parseBoardOptions } from '@/features/board/board-options';
import { BoardResult } from '@/features/board/board-result';
import { BoardBeforeResult } from '@/features/board/board-before-result';
import { WidgetCard } from '@/features/board/widget-card';
import { useLiveDraw } from '@/features/shared-live/use-live';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { usePageTitle } from '@/shared/ui/page-title';

/**
 * The board of one draw, for a screen in the clubhouse. The board runs unattended and reloads
 * itself after a failure.
 */
export function Page({ params }: PageProps) {
  const number = Number(params.draw);
  if (parseBoardOptions(window.location.search).widget)
    return <WidgetCard ask={() => fetchDrawWidget(number)} />;
  return <DrawBoard number={number} />;
}

function DrawBoard({ number }: { number: number }) {
  const { draw, missing } = useLiveDraw(number, 15_000);
  const options = parseBoardOptions(window.location.search);
  usePageTitle(draw ? `${draw.homeTeam} v ${draw.awayTeam}` : missing ? S.drawNotFound : S.brand);
  if (!draw)
    return (
      <BoardFrame tone="is-compact" note="">
        {<h1 className={missing ? undefined : 'sr'}>{missing ? S.drawNotFound : S.brand}</h1>}
      </BoardFrame>
    );
  const { homeFirstTryScorer: home, awayFirstTryScorer: away } = draw;
  const result = draw.status === 'completed' && home !== null && away !== null;
  return (
    <BoardFrame
      tone={result ? 'is-result' : options.compact ? 'is-compact' : ''}
      note={result ? draw.clubName : 'Winner: first try scorers’ numbers, home × away'}
    >
      {result ? (
        <BoardResult key={`${home}-${away}`} draw={draw} home={home} away={away} />
      ) : (
        <BoardBeforeResult draw={draw} options={options} />
      )}
    </BoardFrame>
  );
}
