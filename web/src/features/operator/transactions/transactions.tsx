import { useMemo, useState } from 'react';
import type { Transaction } from '@/api/wire-operator';
import { dayAndTime } from '@/shared/dates';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { NewestPaymentsOnlyNote } from '@/shared/ui/newest-payments';
import { useQuery, useRefetchQueries } from '../queries/use-query';
import { useConsoleUrl } from '../console/address';
import { HeaderActions } from '../console/head-actions';
import { TableShortcutHints } from '../console/shortcuts';
import { RelativeTime } from '../components/relative-time';
import { amountText, signedCents, sumText } from '../components/money';
import { StatFigure, StatFigureList, QueryResult, Tag } from '../components/common';
import { BusyButton } from '../components/busy-button';
import { useActionWithFeedback } from '../session/use-action';
import type { Column } from '../table/columns';
import { DataTable } from '../table/data-table';
import { FilterChips } from '../table/table-tools';
import { OrderPage } from './order-page';
import { RefundDialog } from './refund-dialog';

const TRANSACTION_ROWS_SHOWN = 20;
/**
 * URL parameters that show payments of every status. Used when no payment has succeeded, because
 * the default filter would then hide every row.
 */
const ALL_STATUSES_FILTER = { status: 'all' };

export const hasSucceeded = ({ status }: Pick<Transaction, 'status'>): boolean =>
  status === 'succeeded';

/** Formats the payment method; an unknown method is a dash. */
const paymentMethodText = (method: string | null): string => (method ?? '–').replaceAll('_', ' ');

const moneyColumn = (
  id: 'customerCharged' | 'refunded' | 'stripeFees' | 'platformFee' | 'clubPayout',
  header: string,
): Column<Transaction> => ({
  id,
  header,
  end: true,
  value: (row) => signedCents(row[id]),
  text: (row) => amountText(row[id]),
  total: (rows) => sumText(rows.map((row) => row[id])),
});

function PaymentStateTag({ transaction }: { transaction: Transaction }) {
  const { status, refundState, disputed } = transaction;
  if (disputed) return <Tag kind="bad">Disputed</Tag>;
  if (refundState)
    return (
      <Tag kind="plain">
        {refundState === 'succeeded'
          ? 'Refunded'
          : refundState === 'failed'
            ? 'Refund failed'
            : 'Refunding'}
      </Tag>
    );
  return (
    <Tag kind={hasSucceeded(transaction) ? 'ok' : 'warn'}>
      {hasSucceeded(transaction) ? 'Succeeded' : status.replaceAll('_', ' ')}
    </Tag>
  );
}

const TRANSACTION_COLUMNS: readonly Column<Transaction>[] = [
  {
    id: 'createdAt',
    header: 'When',
    value: ({ createdAt }) => createdAt,
    text: ({ createdAt }) => dayAndTime(createdAt),
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
  {
    id: 'draw',
    header: 'Draw',
    name: true,
    value: ({ drawId, lines }) =>
      lines && lines.length > 1
        ? lines.map((line) => `FD-${line.drawNumber}`).join(', ')
        : `FD-${drawId}`,
    cell: ({ drawId, lines, clubName }) => (
      <span className="ops-two">
        <strong>{lines && lines.length > 1 ? `${lines.length} draws` : `FD-${drawId}`}</strong>
        {clubName ? <small>{clubName}</small> : null}
      </span>
    ),
  },
  {
    id: 'tickets',
    header: 'Tickets',
    end: true,
    value: ({ ticketCount }) => ticketCount,
    text: ({ ticketCount, ticketPrice }) => `${ticketCount} × ${amountText(ticketPrice)}`,
    cell: ({ ticketCount, ticketPrice, paymentMethod }) => (
      <span className="ops-two">
        {ticketCount} × {amountText(ticketPrice)}
        <small>{paymentMethodText(paymentMethod)}</small>
      </span>
    ),
    total: (rows) => String(rows.reduce((sum, row) => sum + row.ticketCount, 0)),
  },
  {
    id: 'paymentMethod',
    header: 'Method',
    hidden: true,
    value: ({ paymentMethod }) => paymentMethodText(paymentMethod),
  },
  moneyColumn('customerCharged', 'Charged'),
  moneyColumn('refunded', 'Refunded'),
  moneyColumn('stripeFees', 'Stripe fees'),
  moneyColumn('platformFee', 'Platform fee'),
  moneyColumn('clubPayout', 'Club payout'),
  {
    id: 'status',
    header: 'Status',
    value: ({ status }) => status,
    cell: (transaction) => <PaymentStateTag transaction={transaction} />,
  },
  {
    id: 'paymentIntentId',
    header: 'Payment intent',
    hidden: true,
    value: ({ paymentIntentId }) => paymentIntentId,
  },
  {
    id: 'customer',
    header: 'Customer',
    hidden: true,
    value: ({ customerEmail }) => customerEmail ?? O.guest,
  },
  { id: 'customerName', header: 'Name', hidden: true, value: ({ customerName }) => customerName },
  { id: 'order', header: 'Order', hidden: true, value: ({ orderId }) => orderId },
  { id: 'club', header: 'Club', hidden: true, value: ({ clubName }) => clubName },
];

function RefreshPaymentsButton() {
  const refetchQueries = useRefetchQueries();
  const action = useActionWithFeedback();
  return (
    <HeaderActions>
      <BusyButton
        className="btn small sec"
        busy={action.busy}
        onPress={() =>
          void action.run(() => refetchQueries('transactions', 'transactionSums'), {
            failed: O.refreshFailed,
          })
        }
      >
        {O.refresh}
      </BusyButton>
    </HeaderActions>
  );
}

/**
 * Section 'Stripe Transactions': sums of the last 30 days and the latest successful payments
 * (specification lines C:79-80).
 */
export function TransactionsSection() {
  const list = useQuery('transactions');
  const { data: sums } = useQuery('transactionSums');
  const { read, go } = useConsoleUrl();
  const [refunding, setRefunding] = useState<string | null>(null);
  // Id of the order whose page is shown. The payment list may not contain it.
  const openId = read('open');
  const open = list.data?.find((row) => row.orderId === openId);
  const show = (row: Transaction) => go('transactions', { open: row.orderId });
  const [turn, setTurn] = useState(0);
  const everyStatus = read('status') === 'all';
  const good = useMemo(() => list.data?.filter(hasSucceeded), [list.data]);
  const rows = everyStatus ? list.data : good;
  const refundDialog = (
    <RefundDialog
      order={refunding}
      onClose={() => setRefunding(null)}
      onDone={() => setTurn(turn + 1)}
    />
  );
  if (openId)
    return (
      <>
        <OrderPage
          key={`${openId}-${turn}`}
          order={openId}
          transaction={open}
          onRefund={setRefunding}
        />
        {refundDialog}
      </>
    );
  return (
    <>
      <RefreshPaymentsButton />
      <StatFigureList label={O.stripeTransactions}>
        <StatFigure label="Total Charged" value={sums && amountText(sums.totalCharged)} />
        <StatFigure label="Refunded" value={sums && amountText(sums.refunded)} />
        <StatFigure
          label="Stripe Fees"
          value={sums && amountText(sums.stripeFees)}
          note={sums?.feesEstimated ? 'partly estimated' : undefined}
        />
        <StatFigure label="Platform Fees" value={sums && amountText(sums.platformFees)} />
        <StatFigure label="Club Payouts" value={sums && amountText(sums.clubPayouts)} />
      </StatFigureList>
      <QueryResult {...list} data={rows} title={O.transactionsFailed} rows={8}>
        {(transactions) => (
          <DataTable
            label="Transactions"
            rows={transactions}
            of={list.data?.length}
            rowId={(row) => row.paymentIntentId}
            columns={TRANSACTION_COLUMNS}
            order="-createdAt"
            shown={TRANSACTION_ROWS_SHOWN}
            empty={<strong>No payments in the last 30 days.</strong>}
            unfiltered={good?.length ? undefined : ALL_STATUSES_FILTER}
            chips={
              <FilterChips
                name="status"
                label="Status"
                options={[
                  { value: '', label: 'Succeeded', count: good?.length },
                  { value: 'all', label: 'Every status', count: list.data?.length },
                ]}
              />
            }
            onOpen={show}
            actions={(row) => (
              <button type="button" className="link-btn" onClick={() => show(row)}>
                {O.details}
              </button>
            )}
          />
        )}
      </QueryResult>
      <NewestPaymentsOnlyNote listed={list.data} sums={sums} />
      <TableShortcutHints />
    </>
  );
}
