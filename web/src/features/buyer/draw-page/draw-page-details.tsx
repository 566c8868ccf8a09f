import { useState } from 'react';
import { Link } from 'wouter';
import type { Draw } from '@/api/wire';
import { HowItWorks } from '@/features/buyer/site/how-it-works';
import { SupportContacts } from '@/features/buyer/site/support-contacts';
import { ResultGrid } from '@/features/shared-grid/result-grid';
import { TallyGrid } from '@/features/shared-grid/tally-grid';
import { useSoldCells } from '@/features/shared-grid/use-sold-cells';
import type { DrawPhase } from '@/features/shared-live/draw-phase';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { decimalToCents, formatDollars } from '@/shared/money';
import { PUBLIC_TEXTS as S, winningPairText } from '@/shared/strings';

/**
 * The content beside or below the purchase form: the lights or the result, help, and how the game
 * works.
 */
export function DrawPageDetails({ draw, phase }: { draw: Draw; phase: DrawPhase }) {
  const { homeFirstTryScorer: home, awayFirstTryScorer: away } = draw;
  return (
    <div className="more stack">
      {phase === 'completed' && home !== null && away !== null ? (
        <ResultSection draw={draw} home={home} away={away} />
      ) : phase === 'cancelled' ? null : (
        <SoldTicketsGrid draw={draw} />
      )}
      <section className="card panel" aria-labelledby="help-title">
        <h2 id="help-title">{S.needHelp}</h2>
        {/* An archived club has no page to link to (decision H-3). */}
        <p>
          This draw is run by{' '}
          {draw.clubSelling === false ? (
            draw.clubName
          ) : (
            <Link href={`/club/${draw.clubSlug}`}>{draw.clubName}</Link>
          )}
          .
        </p>
        {draw.contactName ? (
          <p>
            Questions about this draw: {draw.contactName}
            {draw.contactPhone ? (
              <>
                , <a href={`tel:${draw.contactPhone.replace(/\s/g, '')}`}>{draw.contactPhone}</a>
              </>
            ) : null}
            .
          </p>
        ) : null}
        <p>Payments and tickets:</p>
        <SupportContacts />
      </section>
      <section className="card panel" aria-labelledby="how-title">
        <h2 id="how-title">{S.howItWorks}</h2>
        <HowItWorks />
        {draw.commitment ? (
          <p className="meta proof-line">
            The order of tickets was fixed before the first sale.{' '}
            <a href={`/verify/${draw.drawNumber}`}>Check it yourself</a>
          </p>
        ) : null}
      </section>
    </div>
  );
}

function SoldTicketsGrid({ draw }: { draw: Draw }) {
  return (
    <section className="grid-card lights" aria-labelledby="lights-title">
      <div>
        <h2 id="lights-title">
          {draw.ticketsSold} of {TICKETS_PER_DRAW} sold
        </h2>
        <p className="meta">
          Each light is a ticket somebody holds. Which numbers it carries stays secret until the
          draw.
        </p>
      </div>
      <TallyGrid sold={draw.ticketsSold} />
    </section>
  );
}

function ResultSection({ draw, home, away }: { draw: Draw; home: number; away: number }) {
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
