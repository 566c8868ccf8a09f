import type { Draw, Proof } from '@/api/wire';
import { pairAt } from '@/features/shared-grid/grid';
import { ResultGrid } from '@/features/shared-grid/result-grid';
import type { ProofVerdict } from './deal';

function CheckResultLine({ good, children }: { good: boolean; children: React.ReactNode }) {
  return (
    <li className={good ? 'tick is-good' : 'tick is-bad'}>
      <strong aria-hidden="true">{good ? '✓' : '✗'}</strong>
      <span>
        <span className="sr">{good ? 'Correct: ' : 'Wrong: '}</span>
        {children}
      </span>
    </li>
  );
}

/** The result of this browser's check, first in words and then in numbers. */
export function VerdictView({
  proof,
  verdict,
  draw,
}: {
  proof: Proof;
  verdict: ProofVerdict;
  draw: Draw | undefined;
}) {
  const result = proof.result;
  const good = verdict.promised && verdict.sameWinner !== false && verdict.inOrder !== false;
  return (
    <>
      <div
        className={`callout ${good ? 'is-good' : 'is-bad'}`}
        role="status"
        data-verdict={good ? 'good' : 'bad'}
      >
        <strong>
          {good ? 'The order was fixed before the first sale.' : 'This does not fit together.'}
        </strong>
        {good
          ? 'Your own browser has just worked it out again.'
          : 'Please send us this page’s address.'}
      </div>
      <ul className="ticks">
        <CheckResultLine good={verdict.promised}>
          The revealed seed is the one that was promised when the draw was created.
        </CheckResultLine>
        <CheckResultLine good>The seed deals all 169 pairs, each to one ticket.</CheckResultLine>
        {verdict.inOrder === null ? null : (
          <CheckResultLine good={verdict.inOrder}>
            Tickets that were never sold left first, and returned ones after them, each in ascending
            number.
          </CheckResultLine>
        )}
        {result ? (
          <CheckResultLine good={verdict.sameWinner === true}>
            The pair {result.home} × {result.away} is on ticket {verdict.winningTicket}
            {verdict.sameWinner
              ? ', the announced winner'
              : `, not on ticket ${proof.winningTicket ?? '–'}`}
            .
          </CheckResultLine>
        ) : null}
        {result ? null : (
          <CheckResultLine good>
            No result stands, so there is no winning ticket to check yet.
          </CheckResultLine>
        )}
      </ul>
      {verdict.inOrder === null ? (
        <p className="meta">
          The order in which tickets left is not published: this draw sold returned tickets before
          there was a rule for them.
        </p>
      ) : null}
      {result ? <WinningCell proof={proof} verdict={verdict} result={result} draw={draw} /> : null}
      <h2>The promise</h2>
      <dl className="hashes">
        <dt>Published before the first sale</dt>
        <dd>
          <code>{proof.commitment}</code>
        </dd>
        <dt>Computed here from the seed</dt>
        <dd>
          <code>{verdict.computedCommitment}</code>
        </dd>
        <dt>Seed</dt>
        <dd>
          <code>{proof.seed}</code>
        </dd>
      </dl>
      <h2>In a shell of your own</h2>
      <pre
        className="recipe"
        tabIndex={0}
      >{`printf 'football-doubles-v1${proof.drawNumber}' > promise\nprintf '${proof.seed ?? ''}' | xxd -r -p >> promise\nsha256sum promise`}</pre>
      <TicketPairTable proof={proof} verdict={verdict} />
    </>
  );
}

/**
 * Shows the result's row and column and the cells of the sold tickets. This browser computed the
 * tickets' cells; the result and the list of sold tickets come from the server.
 */
function WinningCell({
  proof,
  verdict,
  result,
  draw,
}: {
  proof: Proof;
  verdict: ProofVerdict;
  result: { home: number; away: number };
  draw: Draw | undefined;
}) {
  const sold = new Set(proof.soldTickets);
  const cells = new Set(verdict.deal.filter((_, index) => sold.has(index + 1)));
  const winner = verdict.winningTicket ?? 0;
  const match = draw ? `${draw.homeTeam} v ${draw.awayTeam}` : `draw ${proof.drawNumber}`;
  return (
    <div className="grid-card verify-grid">
      <ResultGrid
        result={result}
        sold={cells}
        winnerSold={sold.has(winner)}
        caption={`Result of ${match}, as computed here`}
        playing={false}
      />
      <p className="meta">
        Rows are the home team’s numbers, columns the away team’s.{' '}
        {sold.has(winner) ? '' : 'The winning ticket was not sold.'}
      </p>
    </div>
  );
}

function TicketPairTable({ proof, verdict }: { proof: Proof; verdict: ProofVerdict }) {
  const sold = new Set(proof.soldTickets);
  const serial = (ticket: number) => `FD-${proof.drawNumber}-${String(ticket).padStart(3, '0')}`;
  return (
    <details className="all-tickets">
      <summary>All 169 tickets</summary>
      <a
        className="btn small sec"
        download={`draw-${proof.drawNumber}-deal.csv`}
        href={ticketsCsv(proof, verdict, serial)}
      >
        Download CSV
      </a>
      <div className="table-scroll" tabIndex={0} role="region" aria-label="All tickets">
        <table>
          <thead>
            <tr>
              <th scope="col">Ticket</th>
              <th scope="col">Home</th>
              <th scope="col">Away</th>
              <th scope="col">Sold</th>
            </tr>
          </thead>
          <tbody>
            {verdict.deal.map((cell, index) => {
              const { home, away } = pairAt(cell);
              const ticket = index + 1;
              return (
                <tr
                  key={ticket}
                  className={ticket === verdict.winningTicket ? 'is-winner' : undefined}
                >
                  <th scope="row">
                    {serial(ticket)}
                    {ticket === verdict.winningTicket ? ' ★' : ''}
                  </th>
                  <td>{home}</td>
                  <td>{away}</td>
                  <td>{sold.has(ticket) ? 'yes' : 'no'}</td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
    </details>
  );
}

function ticketsCsv(
  proof: Proof,
  verdict: ProofVerdict,
  serial: (ticket: number) => string,
): string {
  const sold = new Set(proof.soldTickets);
  const rows = verdict.deal.map((cell, index) => {
    const { home, away } = pairAt(cell);
    return [
      serial(index + 1),
      home,
      away,
      sold.has(index + 1) ? 'yes' : 'no',
      index + 1 === verdict.winningTicket ? 'yes' : 'no',
    ].join(',');
  });
  return `data:text/csv;charset=utf-8,${encodeURIComponent(`\ufeff${['serial,home,away,sold,winner', ...rows].join('\r\n')}\r\n`)}`;
}
