import { useCallback, useMemo, useRef } from 'react';
import { ANOMALY_TYPES, type Anomaly, type AnomalyStats } from '@/api/wire-operator';
import { dayAndTime } from '@/shared/dates';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { useConsoleUrl } from '../console/address';
import { RelativeTime } from '../components/relative-time';
import { amountText, signedCents, sumText } from '../components/money';
import { CopyableId } from '../components/common';
import { BusyButton } from '../components/busy-button';
import type { Column } from '../table/columns';
import { DataTable } from '../table/data-table';
import { FilterChips } from '../table/table-tools';
import { useNewRowIds } from '../table/use-new-rows';
import {
  ANOMALY_ROWS_SHOWN,
  anomalyLabelOf,
  holdsCustomersMoney,
  nextUnresolvedAnomaly,
  resolverOf,
} from './anomalies';
import { AnomalyPanel, ResolvedTag } from './anomaly-panel';
import { useAnomalyResolution } from './use-anomaly-resolution';

const ANOMALY_COLUMNS: readonly Column<Anomaly>[] = [
  {
    id: 'type',
    header: 'Type',
    name: true,
    value: ({ type }) => anomalyLabelOf(type),
    cell: ({ type, customerName, customerEmail }) => (
      <>
        <strong>{anomalyLabelOf(type)}</strong>
        <small className="ops-only-beside-panel">{customerName ?? customerEmail ?? O.guest}</small>
      </>
    ),
  },
  {
    id: 'customer',
    header: 'Customer',
    value: ({ customerEmail }) => customerEmail || O.guest,
    cell: ({ customerEmail }) => (
      <span className="ops-clip" title={customerEmail ?? undefined}>
        {customerEmail || O.guest}
      </span>
    ),
  },
  {
    id: 'paymentIntentId',
    header: 'Payment intent',
    value: ({ paymentIntentId }) => paymentIntentId,
    cell: ({ paymentIntentId }) => <CopyableId id={paymentIntentId} />,
  },
  {
    id: 'amount',
    header: 'Amount',
    end: true,
    value: ({ amount }) => (amount === null ? null : signedCents(amount)),
    text: ({ amount }) => amountText(amount),
    total: (rows) => sumText(rows.map((row) => row.amount)),
  },
  {
    id: 'detectedAt',
    header: 'Detected',
    value: ({ detectedAt }) => detectedAt,
    text: ({ detectedAt }) => dayAndTime(detectedAt),
    cell: ({ detectedAt }) => <RelativeTime at={detectedAt} />,
  },
  {
    id: 'status',
    header: 'Status',
    value: ({ resolved }) => (resolved ? O.resolved : O.needsAction),
    cell: (anomaly) => (
      <>
        <ResolvedTag resolved={anomaly.resolved} />
        {anomaly.resolved && anomaly.resolvedAt ? (
          <small className="ops-by">
            {resolverOf(anomaly)}, <RelativeTime at={anomaly.resolvedAt} />
          </small>
        ) : null}
      </>
    ),
  },
  {
    id: 'resolvedBy',
    header: 'Resolved by',
    hidden: true,
    value: (anomaly) => (anomaly.resolved ? resolverOf(anomaly) : ''),
  },
  {
    id: 'draws',
    header: 'Draws',
    hidden: true,
    value: ({ drawNumbers }) => drawNumbers?.map((number) => `FD-${number}`).join(' '),
  },
  { id: 'id', header: 'Anomaly', hidden: true, value: ({ id }) => id },
  { id: 'kind', header: 'Kind', hidden: true, value: ({ type }) => type },
  { id: 'order', header: 'Order', hidden: true, value: ({ orderId }) => orderId },
  { id: 'customerName', header: 'Name', hidden: true, value: ({ customerName }) => customerName },
  { id: 'club', header: 'Club', hidden: true, value: ({ clubName }) => clubName },
];

const focusAnomalyRow = (id: string | null) =>
  requestAnimationFrame(() => {
    const row = id
      ? document.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"]`)
      : document.querySelector<HTMLElement>('.ops-head h1');
    row?.focus();
  });

interface AnomalyListProps {
  anomalies: readonly Anomaly[];
  all: readonly Anomaly[];
  stats: AnomalyStats | undefined;
}

function AnomalyFilters({ all, stats }: Omit<AnomalyListProps, 'anomalies'>) {
  const { read, write } = useConsoleUrl();
  return (
    <>
      <FilterChips
        name="status"
        label="Status"
        options={[
          { value: '', label: 'All', count: stats?.total },
          { value: 'unresolved', label: O.unresolved, count: stats?.unresolved },
          { value: 'resolved', label: O.resolved, count: stats?.resolved },
        ]}
      />
      <select
        className="ops-select"
        aria-label="Type"
        value={read('type')}
        onChange={(event) => write({ type: event.currentTarget.value })}
      >
        <option value="">Every type</option>
        {ANOMALY_TYPES.map((type) => (
          <option key={type} value={type}>
            {anomalyLabelOf(type)} ({all.filter((anomaly) => anomaly.type === type).length})
          </option>
        ))}
      </select>
    </>
  );
}

/**
 * Lists anomalies beside the details of the selected one. After an anomaly is resolved, focus moves
 * to the next unresolved one.
 */
export function AnomalyList({ anomalies, all, stats }: AnomalyListProps) {
  const { read, write } = useConsoleUrl();
  const resolving = useAnomalyResolution();
  const busyWith = useRef<string | null>(null);
  const ids = useMemo(() => all.map(({ id }) => id), [all]);
  const newcomers = useNewRowIds(ids);
  const openId = read('open');
  const open = all.find((anomaly) => anomaly.id === openId);
  const show = useCallback((id: string) => write({ open: id }), [write]);

  const openNext = (done: readonly string[], keepPanelOpen: boolean) => {
    const next = nextUnresolvedAnomaly(anomalies, new Set(done));
    if (keepPanelOpen && next) show(next);
    else {
      write({ open: '' });
      focusAnomalyRow(next);
    }
  };
  const resolveChosen = async (chosen: readonly Anomaly[], fromPanel: boolean) => {
    if (resolving.busy) return;
    busyWith.current = chosen[0]?.id ?? null;
    const ids = chosen.map((anomaly) => anomaly.id);
    if (await resolving.resolve(chosen)) openNext(ids, fromPanel);
  };
  const act = (anomaly: Anomaly) => {
    if (anomaly.resolved) return;
    if (holdsCustomersMoney(anomaly)) show(anomaly.id);
    else void resolveChosen([anomaly], false);
  };
  const selecting = {
    can: (anomaly: Anomaly) => !anomaly.resolved && !holdsCustomersMoney(anomaly),
    bar: (rows: readonly Anomaly[], done: () => void) => (
      <BusyButton busy={resolving.busy} onPress={() => void resolveChosen(rows, false).then(done)}>
        {O.markResolved}
      </BusyButton>
    ),
  };

  return (
    <div className={open ? 'ops-split is-open' : 'ops-split'}>
      <DataTable
        label="Payment anomalies"
        rows={anomalies}
        of={all.length}
        rowId={(anomaly) => anomaly.id}
        columns={ANOMALY_COLUMNS}
        order="-detectedAt"
        shown={ANOMALY_ROWS_SHOWN}
        empty={
          <>
            <strong>No anomalies.</strong>
            <p>Every payment has its tickets, and every ticket its payment.</p>
          </>
        }
        chips={<AnomalyFilters all={all} stats={stats} />}
        onOpen={(anomaly) => show(anomaly.id)}
        onAct={act}
        isOpen={(anomaly) => anomaly.id === openId}
        selecting={selecting}
        newcomers={newcomers}
        actions={(anomaly) => (
          <>
            <button type="button" className="link-btn" onClick={() => show(anomaly.id)}>
              {O.details}
            </button>
            {anomaly.resolved || holdsCustomersMoney(anomaly) ? null : (
              <button
                type="button"
                className="link-btn"
                aria-busy={resolving.busy && busyWith.current === anomaly.id}
                onClick={() => act(anomaly)}
              >
                {O.markResolved}
              </button>
            )}
          </>
        )}
      />
      {open ? (
        <AnomalyPanel
          anomaly={open}
          resolving={resolving}
          onMark={() => void resolveChosen([open], true)}
          onClose={() => {
            write({ open: '' });
            focusAnomalyRow(open.id);
          }}
          onResolved={() => {
            resolving.settled(open.id);
            openNext([open.id], true);
          }}
        />
      ) : null}
    </div>
  );
}
