import '@/features/shared-grid/grid.css';
import '@/features/board/board.css';
import '@/features/board/board-templates.css';
import { Suspense, lazy, useEffect } from 'react';
import type { PageProps } from '@/app/page-props';
import { BoardBeforeResult } from '@/features/board/board-before-result';
import {
  BoardFrame,
  BoardHead,
  GridLegend,
  LoadingBoard,
  MissingBoard,
} from '@/features/board/board-frame';
import { boardTone, parseBoardOptions } from '@/features/board/board-options';
import { MatchTitle } from '@/features/board/fitted-text';
import { useSales } from '@/features/board/use-sales';
import { useLiveDraw } from '@/features/shared-live/use-live';
import { dayAndTime } from '@/shared/dates';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { usePageTitle } from '@/shared/ui/page-title';

const loadBoardResult = () =>
  import('@/features/board/board-result').then((module) => ({ default: module.BoardResult }));
// These parts are bundles of their own, because most boards open before the game, and a board in a
// clubhouse never shows the card.
const BoardResult = lazy(loadBoardResult);
const DrawWidget = lazy(() =>
  import('@/features/board/draw-widget').then((module) => ({ default: module.DrawWidget })),
);

/**
 * The board of one draw, for a screen in the clubhouse. The board runs unattended and reloads
 * itself after a failure.
 */
export function Page({ params }: PageProps) {
  const number = Number(params.draw);
  if (parseBoardOptions(window.location.search).widget)
    return (
      <Suspense>
        <DrawWidget number={number} />
      </Suspense>
    );
  return <DrawBoard number={number} />;
}

const BEFORE_RESULT_LEGEND = [
  ['sold', 'Sold'],
  ['available', 'Available'],
  ['just-sold', 'Just sold'],
] as const;
const RESULT_LEGEND = [
  ['home', 'Row: home'],
  ['away', 'Column: away'],
  ['revealed', 'Sold'],
  ['available', 'Not sold'],
] as const;

function DrawBoard({ number }: { number: number }) {
  const { draw, missing } = useLiveDraw(number, 15_000);
  const options = parseBoardOptions(window.location.search);
  const { firstRecent, justSold } = useSales(draw?.ticketsSold ?? 0);
  usePageTitle(draw ? `${draw.homeTeam} v ${draw.awayTeam}` : missing ? S.drawNotFound : S.brand);
  // Loads the result ahead, so that the reveal never waits. A failed attempt is repeated then.
  useEffect(() => void loadBoardResult().catch(() => {}), []);
  if (!draw)
    return missing ? (
      <MissingBoard title={S.drawNotFound} text={S.drawNotFoundText} />
    ) : (
      <LoadingBoard />
    );
  const { homeFirstTryScorer: home, awayFirstTryScorer: away } = draw;
  const hasResult = draw.status === 'completed' && home !== null && away !== null;
  const when = dayAndTime(draw.gameDate, draw.timezone);
  return (
    <BoardFrame
      kind={hasResult ? 'result' : 'sale'}
      tone={boardTone(options)}
      club={{ primaryColor: draw.clubPrimaryColor, accentColor: draw.clubAccentColor }}
      head={
        <BoardHead
          club={{ name: draw.clubName, logoUrl: draw.clubLogoUrl }}
          title={<MatchTitle home={draw.homeTeam} away={draw.awayTeam} />}
          optionalFact={hasResult ? S.completedCaps : draw.league}
          fact={when}
        />
      }
      legend={
        options.compact || draw.status === 'cancelled' ? null : (
          <GridLegend entries={hasResult ? RESULT_LEGEND : BEFORE_RESULT_LEGEND} />
        )
      }
      justSold={justSold}
      sound={options.sound}
      address={`/draw/${draw.drawNumber}`}
      clubId={draw.clubId}
    >
      {hasResult ? (
        <Suspense>
          <BoardResult
            key={`${home}-${away}`}
            draw={draw}
            home={home}
            away={away}
            options={options}
          />
        </Suspense>
      ) : (
        <BoardBeforeResult draw={draw} justSoldFrom={firstRecent} options={options} />
      )}
    </BoardFrame>
  );
}
