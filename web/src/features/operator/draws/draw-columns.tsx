import type { CSSProperties } from 'react';
import type { AdminDraw } from '@/api/wire-operator';
import { timeOfDay, dayText } from '@/shared/dates';
import { TICKETS_PER_DRAW } from '@/shared/draw-size';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { Tag } from '../components/common';
import { amountText, signedCents, sumText } from '../components/money';
import type { Column } from '../table/columns';
import { DrawStatusTag } from './draw-tag';
import { gameDateText } from './game-date';
import { isTestDraw } from './hidden-test-draws';
import { orphanedTicketsText, soldTicketCount } from './sold-tickets';

const serialOf = ({ serialNumber }: Pick<AdminDraw, 'serialNumber'>): string =>
  serialNumber || O.serialUnknown;

/** Kick-off without the year, in the draw's own zone: `Wed 25 Nov, 8:10 pm`. */
export function shortGameDateText(gameDate: string | null | undefined, timezone?: string): string {
  if (!gameDate) return O.dateUnknown;
  return `${dayText(gameDate, timezone).replace(/ \d{4}$/, '')}, ${timeOfDay(gameDate, timezone)}`;
}

/** An active draw past its kick-off is closed, even if its record still says active (decision E-1). */
export const shownDrawStatus = ({ status, gameDate }: AdminDraw, nowMs: number): string =>
  status === 'active' && Date.parse(gameDate) <= nowMs ? 'closed' : status;

/** The result of a draw: the numbers, the winning ticket and what is still to do. */
export function resultText(draw: AdminDraw): string {
  if (draw.status === 'cancelled') return 'Refunded';
  if (draw.status !== 'completed' || !draw.winningTicketSerial) return '';
  return [
    `#${draw.homeFirstTryScorer} & #${draw.awayFirstTryScorer}`,
    draw.winningTicketSold === false ? 'not sold' : draw.winningTicketSerial,
    draw.payoutStatus ? `payout ${draw.payoutStatus}` : null,
  ]
    .filter(Boolean)
    .join(' · ');
}

function SoldCell({ draw }: { draw: AdminDraw }) {
  const sold = soldTicketCount(draw);
  const orphaned = orphanedTicketsText(draw.orphanedTickets);
  return (
    <span className="ops-sold">
      <span className="progress" aria-hidden="true">
        <span style={{ '--part': sold / TICKETS_PER_DRAW } as CSSProperties} />
      </span>
      <span>
        {sold}/{TICKETS_PER_DRAW}
      </span>
      {orphaned ? <small>{orphaned}</small> : null}
    </span>
  );
}

/** Columns of the draws table. `nowMs` decides whether an active draw is over. */
export const drawColumns = (nowMs: number): readonly Column<AdminDraw>[] => [
  { id: 'serialNumber', header: 'Draw', value: serialOf },
  {
    id: 'game',
    header: 'Game',
    name: true,
    value: ({ homeTeam, awayTeam }) => `${homeTeam} v ${awayTeam}`,
    cell: (draw) => (
      <span className="ops-game" title={`${draw.homeTeam} v ${draw.awayTeam}, ${draw.clubName}`}>
        <strong>
          {draw.homeTeam} <span className="v">v</span> {draw.awayTeam}
        </strong>
        <small>
          {draw.clubName}
          {draw.league ? ` · ${draw.league}` : ''}
        </small>
      </span>
    ),
  },
  {
    id: 'gameDate',
    header: 'Kick-off',
    value: ({ gameDate }) => gameDate,
    text: ({ gameDate, timezone }) => gameDateText(gameDate, timezone),
    cell: ({ gameDate, timezone }) => (
      <span title={gameDateText(gameDate, timezone)}>{shortGameDateText(gameDate, timezone)}</span>
    ),
  },
  {
    id: 'ticketPrice',
    header: 'Price',
    end: true,
    value: ({ ticketPrice }) => signedCents(ticketPrice),
    text: ({ ticketPrice }) => amountText(ticketPrice),
  },
  {
    id: 'ticketsSold',
    header: 'Sold',
    value: soldTicketCount,
    cell: (draw) => <SoldCell draw={draw} />,
    total: (rows) => `${rows.reduce((sum, row) => sum + soldTicketCount(row), 0)} sold`,
  },
  {
    id: 'revenue',
    header: 'Revenue',
    end: true,
    value: ({ revenue }) => signedCents(revenue),
    text: ({ revenue }) => amountText(revenue),
    total: (rows) => sumText(rows.map(({ revenue }) => revenue)),
  },
  {
    id: 'status',
    header: 'Status',
    value: (draw) => shownDrawStatus(draw, nowMs),
    cell: (draw) => (
      <span className="ops-tags">
        <DrawStatusTag status={shownDrawStatus(draw, nowMs)} />
        {isTestDraw(draw) ? <Tag kind="plain">Test</Tag> : null}
        {draw.archived ? <Tag kind="plain">Archived</Tag> : null}
        {draw.status === 'completed' ? (
          <small title={resultText(draw)}>{resultText(draw)}</small>
        ) : null}
      </span>
    ),
  },
  { id: 'result', header: 'Result', hidden: true, value: resultText },
  { id: 'club', header: 'Club', hidden: true, value: ({ clubName }) => clubName },
  { id: 'league', header: 'League', hidden: true, value: ({ league }) => league },
  {
    id: 'orphanedTickets',
    header: 'Orphaned',
    hidden: true,
    value: ({ orphanedTickets }) => orphanedTickets,
  },
];
