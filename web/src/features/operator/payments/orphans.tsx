import { useState } from 'react';
import type { OrphanedTicket } from '@/api/wire-operator';
import { dayAndTime } from '@/shared/dates';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { useQuery } from '../queries/use-query';
import { RelativeTime } from '../components/relative-time';
import { amountText, signedCents } from '../components/money';
import { CopyableId, QueryResult } from '../components/common';
import type { Column } from '../table/columns';
import { DataTable } from '../table/data-table';
import { RecoverTicketDialog } from './recover-dialog';

const jerseyPairText = ({ homeNumber, awayNumber }: OrphanedTicket) =>
  homeNumber === null || awayNumber === null
    ? 'Hidden until the result'
    : `#${homeNumber} & #${awayNumber}`;

const ORPHAN_COLUMNS: readonly Column<OrphanedTicket>[] = [
  {
    id: 'serialNumber',
    header: 'Ticket',
    name: true,
    value: ({ serialNumber }) => serialNumber,
    cell: ({ serialNumber }) => <strong>{serialNumber}</strong>,
  },
  { id: 'game', header: 'Game', value: ({ homeTeam, awayTeam }) => `${homeTeam} v ${awayTeam}` },
  { id: 'pair', header: 'Numbers', value: jerseyPairText },
  {
    id: 'amount',
    header: 'Amount',
    end: true,
    value: ({ amount }) => signedCents(amount),
    text: ({ amount }) => amountText(amount),
  },
  {
    id: 'paymentIntentId',
    header: 'Payment intent',
    value: ({ paymentIntentId }) => paymentIntentId,
    cell: ({ paymentIntentId }) => <CopyableId id={paymentIntentId} />,
  },
  {
    id: 'purchaseDate',
    header: 'Purchased',
    value: ({ purchaseDate }) => purchaseDate,
    text: ({ purchaseDate }) => dayAndTime(purchaseDate),
    cell: ({ purchaseDate }) => <RelativeTime at={purchaseDate} />,
  },
  { id: 'club', header: 'Club', hidden: true, value: ({ clubName }) => clubName },
];

/**
 * Lists paid tickets without a buyer. Such tickets are neither sold nor free until a buyer is
 * assigned (decision F-3).
 */
export function OrphanedTickets() {
  const orphans = useQuery('orphans');
  const [recovering, setRecovering] = useState<OrphanedTicket | null>(null);
  return (
    <QueryResult {...orphans} title="The orphaned tickets did not load">
      {(tickets) => (
        <>
          <DataTable
            label={O.orphanedTickets}
            rows={tickets}
            rowId={(ticket) => ticket.id}
            columns={ORPHAN_COLUMNS}
            order="-purchaseDate"
            empty={
              <>
                <strong>No orphaned tickets.</strong>
                <p>Every ticket has an owner.</p>
              </>
            }
            onOpen={setRecovering}
            onAct={setRecovering}
            actions={(ticket) => (
              <button type="button" className="btn small sec" onClick={() => setRecovering(ticket)}>
                Recover
              </button>
            )}
          />
          {recovering ? (
            <RecoverTicketDialog
              key={recovering.id}
              ticket={recovering}
              onClose={() => setRecovering(null)}
            />
          ) : null}
        </>
      )}
    </QueryResult>
  );
}
