import { useMemo, useState } from 'react';
import type { AdminDraw } from '@/api/wire-operator';
import { useServerNow } from '@/features/shared-live/use-live';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { useQuery } from '../queries/use-query';
import { useConsoleUrl } from '../console/address';
import { amountText, signedCents } from '../components/money';
import { QueryResult } from '../components/common';
import { HideTestDrawsSwitch } from '../system/hide-test-switch';
import { compareSortValues, exportTextOf, type Column } from '../table/columns';
import { TableTools, FilterChips } from '../table/table-tools';
import { DrawCard, type DrawDialogKind } from './draw-card';
import { CancelDrawDialog } from './cancel-dialog';
import { MoveKickOffDialog } from './move-dialog';
import { gameDateText } from './game-date';
import { isTestDraw, useHideTestDraws } from './hidden-test-draws';
import { soldTicketCount } from './sold-tickets';
import { TicketsDialog } from './tickets-dialog';
import { UndoResultDialog } from './undo-dialog';

const DRAW_COLUMNS: readonly Column<AdminDraw>[] = [
  {
    id: 'serialNumber',
    header: 'Serial',
    value: ({ serialNumber }) => serialNumber || O.serialUnknown,
  },
  { id: 'game', header: 'Game', value: ({ homeTeam, awayTeam }) => `${homeTeam} v ${awayTeam}` },
  { id: 'club', header: 'Club', value: ({ clubName }) => clubName },
  { id: 'league', header: 'League', value: ({ league }) => league },
  {
    id: 'gameDate',
    header: 'Game date',
    value: ({ gameDate }) => gameDate,
    text: ({ gameDate, timezone }) => gameDateText(gameDate, timezone),
  },
  { id: 'status', header: 'Status', value: ({ status }) => status },
  {
    id: 'ticketPrice',
    header: 'Ticket price',
    value: ({ ticketPrice }) => signedCents(ticketPrice),
    text: ({ ticketPrice }) => amountText(ticketPrice),
  },
  { id: 'ticketsSold', header: 'Sold', value: soldTicketCount },
  { id: 'orphanedTickets', header: 'Orphaned', value: ({ orphanedTickets }) => orphanedTickets },
  {
    id: 'revenue',
    header: 'Revenue',
    value: ({ revenue }) => signedCents(revenue),
    text: ({ revenue }) => amountText(revenue),
  },
];

const SORT_ORDERS = [
  ['-gameDate', 'Latest game first'],
  ['gameDate', 'Earliest game first'],
  ['-ticketsSold', 'Most sold'],
  ['-revenue', 'Most revenue'],
  ['club', 'Club'],
] as const;
const STATUS_FILTERS = ['active', 'closed', 'completed', 'cancelled'] as const;
const DRAW_CARDS_SHOWN = 24;

/** Returns the draws that match the search and the filters, in the chosen sort order. */
export function filteredDraws(
  draws: readonly AdminDraw[],
  query: string,
  status: string,
  order: string,
): AdminDraw[] {
  const text = query.trim().toLowerCase();
  const column = DRAW_COLUMNS.find(({ id }) => id === order.replace(/^-/, ''));
  const matches = draws.filter(
    (draw) =>
      (!status || draw.status === status) &&
      (!text || DRAW_COLUMNS.some((each) => exportTextOf(each, draw).toLowerCase().includes(text))),
  );
  if (!column) return matches;
  const sign = order.startsWith('-') ? -1 : 1;
  return matches.sort(
    (one, other) => sign * compareSortValues(column.value(one), column.value(other)),
  );
}

/** Section 'Draw Management': one card per draw, with the operator's actions. */
export function DrawsSection() {
  const draws = useQuery('draws');
  const hideTest = useHideTestDraws();
  const { read, write } = useConsoleUrl();
  const now = useServerNow();
  const [openDialog, setOpenDialog] = useState<{ what: DrawDialogKind; draw: number } | null>(null);
  const [more, setMore] = useState(DRAW_CARDS_SHOWN);
  const order = read('sort') || '-gameDate';
  const visible = useMemo(
    () => draws.data?.filter((draw) => !hideTest.on || !isTestDraw(draw)),
    [draws.data, hideTest.on],
  );
  const rows = useMemo(
    () => visible && filteredDraws(visible, read('q'), read('status'), order),
    [visible, read, order],
  );
  const about = draws.data?.find((draw) => draw.drawNumber === openDialog?.draw);
  const close = () => setOpenDialog(null);
  const tally = (status: string) => visible?.filter((draw) => draw.status === status).length;
  return (
    <QueryResult {...draws} data={rows} title="The draws did not load">
      {(shown) => (
        <>
          <div className="card ops-row">
            <HideTestDrawsSwitch />
          </div>
          <TableTools
            label={O.drawManagement}
            columns={DRAW_COLUMNS}
            rows={shown}
            of={visible?.length ?? 0}
            chips={
              <>
                <FilterChips
                  name="status"
                  label="Status"
                  options={[
                    { value: '', label: 'All', count: visible?.length },
                    ...STATUS_FILTERS.map((value) => ({
                      value,
                      label: value.charAt(0).toUpperCase() + value.slice(1),
                      count: tally(value),
                    })),
                  ]}
                />
                <select
                  className="ops-select"
                  aria-label="Order"
                  value={order}
                  onChange={(event) => write({ sort: event.currentTarget.value })}
                >
                  {SORT_ORDERS.map(([value, label]) => (
                    <option key={value} value={value}>
                      {label}
                    </option>
                  ))}
                </select>
              </>
            }
          />
          {shown.length === 0 ? (
            <div className="card empty">
              <strong>{visible?.length === 0 ? 'No draws yet.' : 'Nothing matches.'}</strong>
              {visible?.length === 0 ? null : (
                <button
                  type="button"
                  className="btn small sec"
                  onClick={() => write({ q: '', status: '' })}
                >
                  Clear search and filters
                </button>
              )}
            </div>
          ) : null}
          <ul className="ops-cards">
            {shown.slice(0, more).map((draw) => (
              <li key={draw.drawNumber}>
                <DrawCard
                  draw={draw}
                  nowMs={now()}
                  onDo={(what) => setOpenDialog({ what, draw: draw.drawNumber })}
                />
              </li>
            ))}
          </ul>
          {shown.length > more ? (
            <button
              type="button"
              className="btn small sec ops-more"
              onClick={() => setMore(more + DRAW_CARDS_SHOWN)}
            >
              Show more
            </button>
          ) : null}
          {about && openDialog?.what === 'tickets' ? (
            <TicketsDialog draw={about} onClose={close} />
          ) : null}
          {about && openDialog?.what === 'undo' ? (
            <UndoResultDialog draw={about} onClose={close} />
          ) : null}
          {about && openDialog?.what === 'cancel' ? (
            <CancelDrawDialog draw={about} onClose={close} />
          ) : null}
          {about && openDialog?.what === 'move' ? (
            <MoveKickOffDialog draw={about} onClose={close} />
          ) : null}
        </>
      )}
    </QueryResult>
  );
}
