import { useMemo, useState } from 'react';
import { downloadDrawReport } from '@/api/endpoints/operator';
import type { AdminDraw } from '@/api/wire-operator';
import { useServerNow } from '@/features/shared-live/use-live';
import { saveFile } from '@/shared/save-file';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { useQuery } from '../queries/use-query';
import { useConsoleUrl } from '../console/address';
import { HeaderActions } from '../console/head-actions';
import { TableShortcutHints } from '../console/shortcuts';
import { sumText } from '../components/money';
import { QueryResult, StatFigure, StatFigureList } from '../components/common';
import { RowMenu, type RowMenuItem } from '../components/row-menu';
import { useActionWithFeedback } from '../session/use-action';
import { HideTestDrawsSwitch } from '../system/hide-test-switch';
import { DataTable } from '../table/data-table';
import { FilterChips } from '../table/table-tools';
import { CancelDrawDialog } from './cancel-dialog';
import { drawColumns, shownDrawStatus } from './draw-columns';
import { MoveKickOffDialog } from './move-dialog';
import { isTestDraw, useHideTestDraws } from './hidden-test-draws';
import { orphanedTicketCount, orphanedTicketsText, soldTicketCount } from './sold-tickets';
import { TicketsDialog } from './tickets-dialog';
import { UndoResultDialog } from './undo-dialog';

type DrawDialogKind = 'tickets' | 'undo' | 'cancel' | 'move';

const STATUS_FILTERS = ['active', 'closed', 'completed', 'cancelled'] as const;
const DRAW_ROWS_SHOWN = 50;

/** Returns a draw's actions. A locked action stays in the menu and says why. */
export function drawMenuItems(
  draw: AdminDraw,
  open: (what: DrawDialogKind) => void,
  download: () => void,
): RowMenuItem[] {
  const isPlayable = draw.status === 'active' || draw.status === 'closed';
  const isCompleted = draw.status === 'completed';
  return [
    { label: O.viewTickets, onChoose: () => open('tickets') },
    { label: O.downloadReport, onChoose: download },
    {
      label: 'Open public page',
      onChoose: () => window.open(`/draw/${draw.drawNumber}`, '_blank', 'noopener'),
    },
    {
      label: 'Move kick-off',
      onChoose: () => open('move'),
      isOff: !isPlayable,
      note: isPlayable ? null : `the draw is ${draw.status}`,
    },
    {
      label: O.undoResults,
      onChoose: () => open('undo'),
      isDanger: true,
      isOff: !isCompleted,
      note: isCompleted ? 'clears the result and pending payouts' : 'no result yet',
    },
    {
      label: 'Cancel draw',
      onChoose: () => open('cancel'),
      isDanger: true,
      isOff: !isPlayable,
      note: isPlayable
        ? draw.orders === 0
          ? 'nobody bought a ticket'
          : `refunds ${draw.orders} ${draw.orders === 1 ? 'order' : 'orders'}`
        : isCompleted
          ? 'undo the result first'
          : 'it is cancelled',
    },
  ];
}

function DrawMenu({ draw, onOpen }: { draw: AdminDraw; onOpen: (what: DrawDialogKind) => void }) {
  const report = useActionWithFeedback();
  const download = () =>
    void report.run(async () => saveFile(await downloadDrawReport(draw.drawNumber)), {
      failed: O.downloadFailed,
      failedText: O.downloadFailedText,
      fixed: true,
    });
  return (
    <RowMenu
      of={`${draw.serialNumber || O.serialUnknown} ${draw.homeTeam} v ${draw.awayTeam}`}
      items={drawMenuItems(draw, onOpen, download)}
    />
  );
}

function DrawFigures({ draws, nowMs }: { draws: readonly AdminDraw[]; nowMs: number }) {
  const withStatus = (status: string) =>
    draws.filter((draw) => shownDrawStatus(draw, nowMs) === status).length;
  const awaiting = withStatus('closed');
  return (
    <StatFigureList label={O.drawManagement}>
      <StatFigure label="Draws" value={draws.length} />
      <StatFigure label="Active" value={withStatus('active')} />
      <StatFigure
        label="Awaiting results"
        value={awaiting}
        tone={awaiting > 0 ? 'warn' : undefined}
      />
      <StatFigure
        label="Tickets sold"
        value={draws.reduce((sum, draw) => sum + soldTicketCount(draw), 0)}
        note={orphanedTicketsText(orphanedTicketCount(draws))}
      />
      <StatFigure label="Revenue" value={sumText(draws.map(({ revenue }) => revenue))} />
    </StatFigureList>
  );
}

/** Section 'Draw Management': one row per draw, with the operator's actions in a menu. */
export function DrawsSection() {
  const draws = useQuery('draws');
  const hideTest = useHideTestDraws();
  const { read } = useConsoleUrl();
  const now = useServerNow();
  const nowMs = now();
  const [openDialog, setOpenDialog] = useState<{ what: DrawDialogKind; draw: number } | null>(null);
  const visible = useMemo(
    () => draws.data?.filter((draw) => !hideTest.on || !isTestDraw(draw)),
    [draws.data, hideTest.on],
  );
  const status = read('status');
  const rows = visible?.filter((draw) => !status || shownDrawStatus(draw, nowMs) === status);
  const minute = Math.floor(nowMs / 60_000);
  const columns = useMemo(() => drawColumns(minute * 60_000), [minute]);
  const about = draws.data?.find((draw) => draw.drawNumber === openDialog?.draw);
  const close = () => setOpenDialog(null);
  const tally = (value: string) =>
    visible?.filter((draw) => shownDrawStatus(draw, nowMs) === value).length;
  const show = (draw: AdminDraw, what: DrawDialogKind) =>
    setOpenDialog({ what, draw: draw.drawNumber });
  return (
    <QueryResult {...draws} data={rows} title="The draws did not load">
      {(shown) => (
        <>
          <HeaderActions>
            <HideTestDrawsSwitch />
          </HeaderActions>
          <DrawFigures draws={visible ?? []} nowMs={nowMs} />
          <DataTable
            label={O.drawManagement}
            rows={shown}
            of={visible?.length ?? 0}
            rowId={(draw) => String(draw.drawNumber)}
            columns={columns}
            order="-gameDate"
            shown={DRAW_ROWS_SHOWN}
            empty={<strong>No draws yet.</strong>}
            chips={
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
            }
            onOpen={(draw) => show(draw, 'tickets')}
            actions={(draw) => <DrawMenu draw={draw} onOpen={(what) => show(draw, what)} />}
          />
          <TableShortcutHints />
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
