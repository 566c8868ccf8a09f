import { useAtomValue } from 'jotai';
import { CLUB_API_PATHS } from '@/api/endpoints/club';
import type { Ticket } from '@/api/wire';
import type { Financials, OwnDraw, Winner } from '@/api/wire-club';
import { ResultGrid, soldCellsOf } from '@/features/shared-grid/result-grid';
import { configAtom } from '@/features/shared-live/live-atoms';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { decimalToCents, formatDollars } from '@/shared/money';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { signedDollars, teamsText } from '../dashboard/draw-labels';
import { useQuery } from '../data/use-query';
import { WinningJerseys } from './winner-card';

/** Shows that the winning ticket was not sold, with the sold tickets as a proof. */
export function UnsoldResult({ draw, winner }: { draw: OwnDraw; winner: Winner }) {
  const { data: money } = useQuery<Financials>(CLUB_API_PATHS.financials(draw.drawNumber));
  const { data: tickets } = useQuery<Ticket[]>(`/api/draws/${draw.drawNumber}/tickets`);
  const sold = tickets ? soldCellsOf(tickets) : null;
  const result = { home: winner.homeNumber, away: winner.awayNumber };
  const soldCount = money?.soldTickets ?? draw.ticketsSold;
  return (
    <>
      <section className="card" aria-labelledby="winner-title">
        <h2 id="winner-title" className="nobody-won">
          Nobody won
        </h2>
        <p>{C.ticketNotSold}</p>
        <div className="unsold-pair">
          <WinningJerseys draw={draw} winner={winner} />
          <p>
            <strong>
              {draw.homeTeam} {winner.homeNumber}, {draw.awayTeam} {winner.awayNumber}
            </strong>
            <span className="meta">Ticket {winner.serialNumber}</span>
          </p>
        </div>
      </section>
      {sold ? (
        <section className="card" aria-labelledby="proof-title">
          <div className="admin-head">
            <h2 id="proof-title">
              {soldCount} of {TICKETS_PER_DRAW} were sold
            </h2>
            <span className="meta">{TICKETS_PER_DRAW - soldCount} were not</span>
          </div>
          <div className="proof-grid">
            <ResultGrid
              result={result}
              sold={sold}
              winnerSold={false}
              caption={`Sold tickets. Row ${result.home} and column ${result.away} cross at a ticket that was not sold.`}
              playing={false}
            />
          </div>
          <ul className="proof-legend">
            <li className="is-sold">sold</li>
            <li className="is-hit">
              sold, has {result.home} or {result.away}
            </li>
            <li>not sold</li>
            <li className="is-winner">
              {result.home} & {result.away}, not sold
            </li>
          </ul>
          <p className="meta">
            Down: {draw.homeTeam}. Across: {draw.awayTeam}.
          </p>
        </section>
      ) : null}
      <section className="card" aria-labelledby="kept-title">
        <h2 id="kept-title" className="sr">
          Money
        </h2>
        <dl className="facts is-sums unsold-money">
          <dt>Prize to pay</dt>
          <dd className="num">$0.00</dd>
          <dt>The club keeps</dt>
          <dd className="num">{signedDollars(money?.clubProfit)}</dd>
        </dl>
        {money ? (
          <p className="meta">
            {formatDollars(decimalToCents(money.totalRevenue))} of sales, less fees. The prize of{' '}
            {formatDollars(decimalToCents(money.prizePool))} stays with the club.
          </p>
        ) : null}
      </section>
      <WrongResultHelp draw={draw} />
    </>
  );
}

/** Leads to the operator, who alone can undo a result. */
export function WrongResultHelp({ draw }: { draw: OwnDraw }) {
  const support = useAtomValue(configAtom)?.supportEmail;
  if (!support) return null;
  const subject = `${draw.serialNumber} ${teamsText(draw)}: a first try scorer is wrong`;
  return (
    <p className="wrong-result">
      Is a number wrong?{' '}
      <a href={`mailto:${support}?subject=${encodeURIComponent(subject)}`}>
        Ask the operator to undo the result
      </a>
    </p>
  );
}
