import type { OrderLine } from '@/api/wire';
import { useId } from 'react';
import { Link } from 'wouter';
import { dayAndTime } from '@/shared/dates';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { decimalToCents, formatDollars } from '@/shared/money';

/**
 * The owner's tickets of one draw, each with its pair. `under` means that an order's heading is
 * above, so this heading is one level lower.
 */
export function TicketList({ line, under = false }: { line: OrderLine; under?: boolean }) {
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
      {line.tickets.length > 0 ? (
        <ul className="tickets">
          {line.tickets.map((ticket) => (
            <li
              key={ticket.serialNumber}
              className={ticket.isWinner ? 'ticket is-winner' : 'ticket'}
            >
              <span className="pair num">
                <span className="sr">{line.homeTeam} </span>
                {ticket.homeNumber} <span aria-hidden="true">×</span>
                <span className="sr">, {line.awayTeam} </span> {ticket.awayNumber}
              </span>
              <span className="serial">{ticket.serialNumber}</span>
              {ticket.isWinner ? <strong>★ Winning ticket</strong> : null}
            </li>
          ))}
        </ul>
      ) : null}
      <p className="meta">
        Home number × away number. Your pair wins if both players score their team’s first try.
      </p>
    </section>
  );
}
