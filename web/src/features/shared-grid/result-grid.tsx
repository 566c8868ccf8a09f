import { JERSEY_NUMBERS, TICKETS_PER_DRAW } from '@/shared/draw-size';
import { cellOf, type Pair } from './grid';

interface ResultGridProps {
  result: Pair;
  /** Cells of sold tickets. Null until they are revealed. */
  sold: ReadonlySet<number> | null;
  winnerSold: boolean;
  caption: string;
  /** Whether to play the reveal animation once. */
  playing: boolean;
}

const ROW_REVEAL_DELAY_MS = 900;
const COLUMN_REVEAL_DELAY_MS = 1_900;
const CELL_REVEAL_DELAY_MS = 60;

/**
 * The result grid: one row crossing one column. The markup is a real table, so that screen readers
 * can read each cell.
 */
export function ResultGrid({ result, sold, winnerSold, caption, playing }: ResultGridProps) {
  const winner = cellOf(result);
  const cell = (home: number, away: number) => {
    const at = cellOf({ home, away });
    const inRow = home === result.home;
    const inColumn = away === result.away;
    const tone = [
      'cell',
      sold?.has(at) && 'is-sold',
      inRow && 'in-row',
      inColumn && 'in-column',
      at === winner && 'is-winner',
      at === winner && !winnerSold && 'is-unsold',
    ]
      .filter(Boolean)
      .join(' ');
    const text =
      at === winner
        ? winnerSold
          ? 'winning ticket'
          : 'winning pair, not sold'
        : sold
          ? sold.has(at)
            ? 'sold'
            : 'not sold'
          : '';
    const delay =
      at === winner
        ? undefined
        : inRow
          ? ROW_REVEAL_DELAY_MS + (away - 1) * CELL_REVEAL_DELAY_MS
          : inColumn
            ? COLUMN_REVEAL_DELAY_MS + (home - 1) * CELL_REVEAL_DELAY_MS
            : undefined;
    return (
      <td
        key={away}
        className={tone}
        style={delay === undefined ? undefined : { animationDelay: `${delay}ms` }}
      >
        <span className="sr">{text}</span>
        {at === winner ? <span aria-hidden="true">★</span> : null}
      </td>
    );
  };
  return (
    <table className={`result-grid${playing ? ' is-playing' : ''}`}>
      <caption className="sr">{caption}</caption>
      <thead>
        <tr>
          <td aria-hidden="true" />
          {JERSEY_NUMBERS.map((away) => (
            <th
              key={away}
              scope="col"
              className={away === result.away ? 'is-hit-column' : undefined}
            >
              <span className="sr">Away </span>
              {away}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {JERSEY_NUMBERS.map((home) => (
          <tr key={home}>
            <th scope="row" className={home === result.home ? 'is-hit-row' : undefined}>
              <span className="sr">Home </span>
              {home}
            </th>
            {JERSEY_NUMBERS.map((away) => cell(home, away))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Returns the sold cells of a list of tickets. Null while their pairs are not revealed. */
export function soldCellsOf(
  tickets: readonly { sold: boolean; homeNumber: number | null; awayNumber: number | null }[],
): ReadonlySet<number> | null {
  if (tickets.length !== TICKETS_PER_DRAW || tickets.some((ticket) => ticket.homeNumber === null))
    return null;
  return new Set(
    tickets
      .filter((ticket) => ticket.sold)
      .map((ticket) => cellOf({ home: ticket.homeNumber ?? 1, away: ticket.awayNumber ?? 1 })),
  );
}
