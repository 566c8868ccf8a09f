import { useEffect, useState } from 'react';
import type { Draw } from '@/api/wire';
import { ResultGrid } from '@/features/shared-grid/result-grid';
import { useSoldCells } from '@/features/shared-grid/use-sold-cells';
import { cents, wholeDollars } from '@/shared/money';
import { S } from '@/shared/strings';

const REVEAL_MS = 4_200;

/** After the result: the row, the column, and where they cross. Played once, then it stands. */
export function BoardResult({ draw, home, away }: { draw: Draw; home: number; away: number }) {
  const sold = useSoldCells(draw.drawNumber, true);
  const [playing, setPlaying] = useState(true);
  useEffect(() => {
    const timer = setTimeout(() => setPlaying(false), REVEAL_MS);
    return () => clearTimeout(timer);
  }, []);
  const winnerSold = draw.winningTicketSold !== false;
  return (
    <>
      <div className="board-grid">
        <ResultGrid result={{ home, away }} sold={sold} winnerSold={winnerSold} caption={`Result of ${draw.homeTeam} v ${draw.awayTeam}`} playing={playing} />
      </div>
      <div className={`board-side${playing ? ' is-playing-side' : ''}`}>
        <h1 className="board-label board-match">{S.completedCaps} · {draw.homeTeam} v {draw.awayTeam}</h1>
        <p className="result-pair num"><span className="home home-number">#{home}</span> &amp; <span className="away away-number">#{away}</span></p>
        <p className="board-label">First try scorers (home &amp; away)</p>
        <div className="late">
          {winnerSold ? (
            <>
              <p className="result-prize num">{wholeDollars(cents(draw.currentPrize))}</p>
              <p className="board-label">Winner’s prize · winning ticket</p>
              <p className="result-serial num">{draw.winningTicketSerial}</p>
            </>
          ) : (
            <p className="result-prize num unsold">This ticket was not sold</p>
          )}
        </div>
      </div>
    </>
  );
}
