import { useCallback, useEffect, useState } from 'react';
import { fetchAdminTickets } from '@/api/endpoints/operator';
import type { AdminDraw, AdminTicket } from '@/api/wire-operator';
import { dayAndTime } from '@/shared/dates';
import { OPERATOR_TEXTS as O, moreCountText } from '@/shared/strings-operator';
import { Dialog } from '@/shared/ui/dialog';
import { AuditTrail } from '../audit/audit-trail';
import { amountText } from '../components/money';
import { RowsSkeleton, StatFigure, StatFigureList, LoadError } from '../components/common';
import { saveCsv } from '../table/csv';
import { cellTextOf, type Column } from '../table/columns';
import { RefundDialog } from '../transactions/refund-dialog';

const TICKET_ROWS_SHOWN = 50;

const TICKET_COLUMNS: readonly Column<AdminTicket>[] = [
  { id: 'ticketNumber', header: 'Ticket', value: ({ ticketNumber }) => ticketNumber },
  { id: 'buyerName', header: 'Buyer', value: ({ buyerName }) => buyerName },
  { id: 'buyerEmail', header: 'E-mail', value: ({ buyerEmail }) => buyerEmail },
  { id: 'buyerPhone', header: 'Phone', value: ({ buyerPhone }) => buyerPhone },
  {
    id: 'purchaseDate',
    header: 'Purchased',
    value: ({ purchaseDate }) => purchaseDate,
    text: ({ purchaseDate }) => (purchaseDate ? dayAndTime(purchaseDate) : ''),
  },
];

/**
 * Counts a draw's tickets. A sold ticket has a name or an e-mail address. A paid ticket without
 * either is orphaned: neither sold nor free (decisions F-2, F-3).
 */
export function ticketCountsOf(tickets: readonly AdminTicket[]) {
  const sold = tickets.filter((ticket) => ticket.buyerName || ticket.buyerEmail);
  const orphaned = tickets.filter(
    (ticket) => ticket.sold && !ticket.buyerName && !ticket.buyerEmail,
  );
  const free = tickets.filter((ticket) => !ticket.sold && !ticket.buyerName && !ticket.buyerEmail);
  return { sold, orphaned, free };
}

/**
 * Says what a refund from this row returns: an order is refunded as a whole (decision C-10), with all
 * of its tickets.
 */
export function refundButtonText(tickets: readonly AdminTicket[], ticket: AdminTicket): string {
  const count = tickets.filter(({ orderId }) => orderId === ticket.orderId).length;
  return count === 1 ? 'Refund' : `Refund order of ${count} tickets`;
}

/**
 * Lists every ticket of a draw with its buyer (specification lines C:64-66). Explicit table roles
 * survive the card layout on a phone.
 */
export function TicketsDialog({ draw, onClose }: { draw: AdminDraw; onClose: () => void }) {
  const [tickets, setTickets] = useState<AdminTicket[] | null>(null);
  const [error, setError] = useState<Error | null>(null);
  const [refunding, setRefunding] = useState<string | null>(null);
  const ask = useCallback(() => {
    setError(null);
    fetchAdminTickets(draw.drawNumber).then(setTickets, setError);
  }, [draw.drawNumber]);
  useEffect(ask, [ask, draw.revision]);
  return (
    <Dialog title={`Tickets of ${draw.serialNumber || O.serialUnknown}`} open onClose={onClose}>
      <p className="meta">
        {draw.homeTeam} v {draw.awayTeam}
      </p>
      {tickets ? (
        <TicketList draw={draw} tickets={tickets} onRefund={setRefunding} />
      ) : error ? (
        <LoadError title="Failed to fetch tickets" error={error} onRetry={ask} />
      ) : (
        <RowsSkeleton rows={6} />
      )}
      <AuditTrail objects={`draw:${draw.drawNumber}`} />
      <RefundDialog order={refunding} onClose={() => setRefunding(null)} onDone={ask} />
    </Dialog>
  );
}

function TicketList({
  draw,
  tickets,
  onRefund,
}: {
  draw: AdminDraw;
  tickets: readonly AdminTicket[];
  onRefund: (order: string) => void;
}) {
  const { sold, orphaned, free } = ticketCountsOf(tickets);
  const listed = free.slice(0, TICKET_ROWS_SHOWN).map((ticket) => ticket.ticketNumber);
  return (
    <>
      <StatFigureList label="Counts">
        <StatFigure label="Sold" value={sold.length} />
        <StatFigure label="Available" value={free.length} />
        {orphaned.length > 0 ? (
          <StatFigure label="Orphaned" value={orphaned.length} tone="warn" />
        ) : null}
        <StatFigure label="Total revenue" value={amountText(draw.revenue)} />
      </StatFigureList>
      {sold.length === 0 ? (
        <p className="meta">No tickets are sold yet.</p>
      ) : (
        <div className="ops-scroll" role="region" aria-label="Sold tickets" tabIndex={0}>
          <table className="ops-plain-table" role="table">
            <thead role="rowgroup">
              <tr role="row">
                {TICKET_COLUMNS.map((column) => (
                  <th key={column.id} role="columnheader" scope="col">
                    {column.header}
                  </th>
                ))}
                <th role="columnheader" scope="col">
                  <span className="sr">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody role="rowgroup">
              {sold.map((ticket) => (
                <tr
                  key={ticket.ticketNumber}
                  role="row"
                  className={ticket.isWinner ? 'is-winner' : undefined}
                >
                  <th role="rowheader" scope="row">
                    {ticket.ticketNumber}
                    {ticket.isWinner ? <span className="ops-won"> winner</span> : null}
                  </th>
                  {TICKET_COLUMNS.slice(1).map((column) => (
                    <td key={column.id} role="cell" data-label={column.header}>
                      {cellTextOf(column, ticket)}
                    </td>
                  ))}
                  <td role="cell">
                    {ticket.orderId ? (
                      <button
                        type="button"
                        className="link-btn"
                        onClick={() => onRefund(ticket.orderId ?? '')}
                      >
                        {refundButtonText(sold, ticket)}
                      </button>
                    ) : null}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div className="actions">
        <button
          type="button"
          className="btn small sec"
          disabled={sold.length === 0}
          onClick={() => saveCsv(`${draw.serialNumber}-tickets`, TICKET_COLUMNS, sold, new Date())}
        >
          CSV
        </button>
      </div>
      <h3 className="ops-sub">Available tickets</h3>
      <p className="ops-free">
        {listed.length === 0 ? 'None.' : listed.map((number) => <span key={number}>{number}</span>)}
        {free.length > TICKET_ROWS_SHOWN ? (
          <strong>{moreCountText(free.length - TICKET_ROWS_SHOWN)}</strong>
        ) : null}
      </p>
    </>
  );
}
