import { useState } from 'react';
import type { Draw } from '@/api/wire';
import { ResultGrid } from '@/features/shared-grid/result-grid';
import { useSoldCells } from '@/features/shared-grid/use-sold-cells';
import { decimalToCents, formatDollars } from '@/shared/money';
import { PUBLIC_TEXTS as S, winningPairText } from '@/shared/strings';

/** The result of a completed draw: the scorers, the winning ticket and where it lies in the grid. */
export function ResultSection({ draw, home, away }: { draw: Draw; home: number; away: number }) {
  const { sold, failed, retry } = useSoldCells(draw.drawNumber);
  const [plays, setPlays] = useState(0);
  const winnerSold = draw.winningTicketSold !== false;
  return (
    <section className="grid-card result" aria-labelledby="result-title">
      <h2 id="result-title">{winningPairText(home, away)}</h2>
      <p className="meta">
        First try scorers: {draw.homeTeam} {home === 9 ? '9 (or no try)' : home}, {draw.awayTeam}{' '}
        {away === 9 ? '9 (or no try)' : away}
      </p>
      <ResultGrid
        key={plays}
        result={{ home, away }}
        sold={sold}
        winnerSold={winnerSold}
        caption={`Result of ${draw.homeTeam} v ${draw.awayTeam}`}
        playing={plays > 0}
      />
      {failed ? (
        <p className="tickets-failed" role="alert">
          {S.failedToFetchTickets}{' '}
          <button type="button" className="btn small sec" onClick={retry}>
            Retry
          </button>
        </p>
      ) : null}
      <p className="result-line">
        {winnerSold ? (
          <>
            Winner’s prize{' '}
            <strong className="num">{formatDollars(decimalToCents(draw.currentPrize))}</strong> ·
            winning ticket{' '}
            <strong className="num">{draw.winningTicketSerial ?? 'shown after kick-off'}</strong>
          </>
        ) : (
          'This ticket was not sold'
        )}
      </p>
      <button type="button" className="btn small sec no-print" onClick={() => setPlays(plays + 1)}>
        Play the reveal again
      </button>
    </section>
  );
}
