import { useEffect, useState } from 'react';
import type { Draw } from '@/api/wire';
import { ResultGrid } from '@/features/shared-grid/result-grid';
import { useSoldCells } from '@/features/shared-grid/use-sold-cells';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { decimalToCents, formatWholeDollars } from '@/shared/money';
import type { BoardOptions } from './board-options';
import { BoardQrCode } from './board-qr-code';
import { BoardAmount, FittedText } from './fitted-text';
import { Jersey } from './jersey';
import { Streamers } from './streamers';
import { useCountUp } from './use-count-up';

const REVEAL_ANIMATION_MS = 4_200;
const HOME_ROW_REVEAL_DELAY_MS = 900;
const AWAY_COLUMN_REVEAL_DELAY_MS = 1_900;
/** Number that stands for a team without a try scorer (specification line A:8). */
const NO_TRY_SCORER_NUMBER = 9;

interface BoardResultProps {
  draw: Draw;
  home: number;
  away: number;
  options: BoardOptions;
}

/**
 * The board after the result: the row, the column and the cell where they cross. The animation
 * plays once.
 */
export function BoardResult({ draw, home, away, options }: BoardResultProps) {
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
  const winnerSold = draw.winningTicketSold !== false;
  return (
    <>
      {winnerSold && !playing ? <Streamers /> : null}
      {options.compact ? null : (
        <div className="board-grid">
          <ResultGrid
            result={{ home, away }}
            sold={sold}
            winnerSold={winnerSold}
            caption={`Result of ${draw.homeTeam} v ${draw.awayTeam}`}
            playing={playing}
          />
        </div>
      )}
      <div className={`board-story${playing ? ' is-playing-story' : ''}`}>
        <div className="result-pair">
          <p className="board-label">
            First try scorers (home &amp; away)
            {home === NO_TRY_SCORER_NUMBER || away === NO_TRY_SCORER_NUMBER
              ? ` · #${NO_TRY_SCORER_NUMBER} No Try/Default`
              : ''}
          </p>
          <p className="result-jerseys">
            <span className="sr">
              #{home} and #{away}
            </span>
            <Jersey side="home" number={homeShown} />
            <span className="result-and num" aria-hidden="true">
              &amp;
            </span>
            <Jersey side="away" number={awayShown} />
          </p>
        </div>
        <div className="result-prize late">
          {winnerSold ? (
            <>
              <p className="board-label">Winner’s prize</p>
              <BoardAmount
                className="result-prize-amount"
                amount={formatWholeDollars(decimalToCents(draw.currentPrize))}
              />
            </>
          ) : (
            <>
              <p className="board-label">No winner</p>
              <FittedText className="result-unsold num" text="This ticket was not sold" />
            </>
          )}
        </div>
        <div className="result-winner late">
          <p className="board-label">Winning ticket</p>
          <FittedText
            className="result-serial num"
            text={draw.winningTicketSerial ?? 'shown after kick-off'}
          />
        </div>
      </div>
      <BoardQrCode
        path={`/verify/${draw.drawNumber}`}
        title="Check this draw"
        note={`All ${TICKETS_PER_DRAW} tickets`}
        purpose="QR code to check the draw"
        options={options}
      />
    </>
  );
}
