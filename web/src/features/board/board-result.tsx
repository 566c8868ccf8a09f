import { useEffect, useState } from 'react';
import type { Draw } from '@/api/wire';
import { ResultGrid } from '@/features/shared-grid/result-grid';
import { useSoldCells } from '@/features/shared-grid/use-sold-cells';
import { decimalToCents, formatWholeDollars } from '@/shared/money';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { BoardTitle } from './board-title';
import { useCountUp } from './use-count-up';
import { useFitText } from './use-fit-text';

const REVEAL_ANIMATION_MS = 4_200;
const HOME_ROW_REVEAL_DELAY_MS = 900;
const AWAY_COLUMN_REVEAL_DELAY_MS = 1_900;
/** Number that stands for a team without a try scorer (specification line A:8). */
const NO_TRY_SCORER_NUMBER = 9;

/**
 * The board after the result: the row, the column and the cell where they cross. The animation
 * plays once.
 */
export function BoardResult({ draw, home, away }: { draw: Draw; home: number; away: number }) {
  const { sold } = useSoldCells(draw.drawNumber);
  const [playing, setPlaying] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setPlaying(false), REVEAL_ANIMATION_MS);
    return () => clearTimeout(timer);
  }, []);
  const [homeShown, awayShown] = [
    useCountUp(home, HOME_ROW_REVEAL_DELAY_MS, playing),
    useCountUp(away, AWAY_COLUMN_REVEAL_DELAY_MS, playing),
  ];
  const match = `${S.completedCaps} · ${draw.homeTeam} v ${draw.awayTeam}`;
  const pair = useFitText<HTMLParagraphElement>(`${home} ${away}`);
  const winnerSold = draw.winningTicketSold !== false;
  return (
    <>
      <div className="board-grid">
        <ResultGrid
          result={{ home, away }}
          sold={sold}
          winnerSold={winnerSold}
          caption={`Result of ${draw.homeTeam} v ${draw.awayTeam}`}
          playing={playing}
        />
      </div>
      <div className={`board-side${playing ? ' is-playing-side' : ''}`}>
        <BoardTitle tone="board-label board-match" text={match}>
          {match}
        </BoardTitle>
        <p ref={pair} className="result-pair num">
          <span className="sr">
            #{home} and #{away}
          </span>
          <span aria-hidden="true">
            <span className="home home-number">#{homeShown}</span> &amp;{' '}
            <span className="away away-number">#{awayShown}</span>
          </span>
        </p>
        <p className="board-label">
          First try scorers (home &amp; away)
          {home === NO_TRY_SCORER_NUMBER || away === NO_TRY_SCORER_NUMBER
            ? ` · #${NO_TRY_SCORER_NUMBER} No Try/Default`
            : ''}
        </p>
        <div className="late">
          {winnerSold ? (
            <>
              <p className="result-prize num">
                {formatWholeDollars(decimalToCents(draw.currentPrize))}
              </p>
              <p className="board-label">Winner’s prize · winning ticket</p>
            </>
          ) : (
            <>
              <p className="result-prize num unsold">This ticket was not sold</p>
              <p className="board-label">Winning ticket</p>
            </>
          )}
          <p className="result-serial num">{draw.winningTicketSerial ?? 'shown after kick-off'}</p>
        </div>
      </div>
    </>
  );
}
