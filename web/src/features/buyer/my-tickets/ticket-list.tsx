import type { OrderLine } from '@/api/wire';
import { useId } from 'react';
import { Link } from 'wouter';
import { dayAndTime } from '@/shared/dates';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { decimalToCents, formatDollars } from '@/shared/money';
import { TicketPictureButton } from './ticket-picture-button';

/**
 * The owner's tickets of one draw, each with its pair. `token` is the order's secret. `under` means
 * that an order's heading is above, so this heading is one level lower.
 */
export function TicketList({
  line,
  token,
  under = false,
}: {
  line: OrderLine;
  token: string;
  under?: boolean;
}) {
  const id = useId();
  const Heading = under ? 'h3' : 'h2';
  return (
    <section className="card panel ticket-lines" aria-labelledby={id}>
      <Heading id={id}>
        {line.homeTeam} v {line.awayTeam}
      </Heading>
      <p className="meta">
        {line.league ? `${line.league} · ` : ''}
        {dayAndTime(line.gameDate, line.timezone)} ·{' '}
        <Link href={`/draw/${line.drawNumber}`}>Draw {line.drawNumber}</Link>
      </p>
      <p className="meta">
        {line.ticketCount} {line.ticketCount === 1 ? 'ticket' : 'tickets'} · current prize{' '}
        {formatDollars(decimalToCents(line.currentPrize))} · {line.ticketsSold}/{TICKETS_PER_DRAW}{' '}
        sold
      </p>
      {line.tickets.length > 0 ? <Tickets line={line} /> : null}
      <p className="meta">
        Your pair wins if both players score their team’s first try. Only you see these numbers
        until the draw.
      </p>
      {line.tickets.length > 0 ? (
        <TicketPictureButton token={token} draw={line.drawNumber} />
      ) : null}
    </section>
  );
}

/** The most tickets that are all shown at once, and how many are shown of a longer list. */
const TICKETS_SHOWN_WHOLE = 3;

/** The winning tickets come first. A long list is folded, so that the page stays short. */
function Tickets({ line }: { line: OrderLine }) {
  const tickets = [
    ...line.tickets.filter(({ isWinner }) => isWinner),
    ...line.tickets.filter(({ isWinner }) => !isWinner),
  ];
  const folded = tickets.slice(TICKETS_SHOWN_WHOLE);
  return (
    <>
      <ul className="tickets">
        {tickets.slice(0, TICKETS_SHOWN_WHOLE).map((ticket) => (
          <TicketItem key={ticket.serialNumber} line={line} ticket={ticket} />
        ))}
      </ul>
      {folded.length > 0 ? (
        <details className="more-tickets">
          <summary>
            {folded.length} more
            <span className="sr"> {folded.length === 1 ? 'ticket' : 'tickets'}</span>
          </summary>
          <ul className="tickets">
            {folded.map((ticket) => (
              <TicketItem key={ticket.serialNumber} line={line} ticket={ticket} />
            ))}
          </ul>
        </details>
      ) : null}
    </>
  );
}

function TicketItem({ line, ticket }: { line: OrderLine; ticket: OrderLine['tickets'][number] }) {
  return (
    <li className={ticket.isWinner ? 'ticket is-winner' : 'ticket'}>
      <span className="pair">
        <span className="side">
          <span className="team">{line.homeTeam} </span>
          <span className="num">{ticket.homeNumber}</span>
        </span>
        <span aria-hidden="true"> & </span>
        <span className="side">
          <span className="team">{line.awayTeam} </span>
          <span className="num">{ticket.awayNumber}</span>
        </span>
      </span>
      <span className="serial">{ticket.serialNumber}</span>
      {ticket.isWinner ? <strong>★ Winning ticket</strong> : null}
    </li>
  );
}
