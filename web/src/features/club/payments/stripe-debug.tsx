import { useAtomValue, useSetAtom } from 'jotai';
import { useState } from 'react';
import { CLUB_API_PATHS } from '@/api/endpoints/club';
import type { StripeTransaction, TransactionSums } from '@/api/wire-payments';
import { configAtom } from '@/features/shared-live/live-atoms';
import { dayAndTime } from '@/shared/dates';
import { formatDollars } from '@/shared/money';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { NewestPaymentsOnlyNote } from '@/shared/ui/newest-payments';
import { usePageTitle } from '@/shared/ui/page-title';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { signedDollars } from '../dashboard/draw-labels';
import { useQuery } from '../data/use-query';
import { PaymentsLoadError, PaymentsPageLayout } from './payments-frame';

const PAYMENTS_POLL_INTERVAL_MS = 30_000;
/** Number of rows shown before "Show all". */
const INITIAL_ROW_COUNT = 100;

/**
 * Lists successful payments of the last 30 days with sums (specification line B:87). Its prize
 * pools are always zero (decision D-13).
 */
export function StripeDebugPage() {
  const { data, problem, retry } = useQuery<StripeTransaction[]>(CLUB_API_PATHS.stripeDebug, {
    intervalMs: PAYMENTS_POLL_INTERVAL_MS,
    opensLogin: false,
  });
  const { data: sums, retry: retrySums } = useQuery<TransactionSums>(CLUB_API_PATHS.stripeSums, {
    intervalMs: PAYMENTS_POLL_INTERVAL_MS,
    opensLogin: false,
  });
  const config = useAtomValue(configAtom);
  const showToast = useSetAtom(showToastAtom);
  const refresh = async () =>
    showToast(
      (await Promise.all([retry(), retrySums()])).every(Boolean)
        ? { title: 'Transactions refreshed' }
        : { title: C.refreshFailed, text: C.pleaseTryAgain, bad: true },
    );
  usePageTitle('Transactions');
  const paid = data?.filter(({ status }) => status === 'succeeded');
  const cards: [string, string | undefined][] = [
    ['Total Charged', sums?.totalCharged],
    ['Stripe Fees', sums?.stripeFees],
    ['Platform Fees', sums?.platformFees],
    // Without it, a month with refunds would not add up.
    ...(sums && sums.refunded !== '0.00' ? [['Refunded', sums.refunded] as [string, string]] : []),
    ['Club Payouts', sums?.clubPayouts],
    ['Prize Pools', '0.00'],
  ];
  return (
    <PaymentsPageLayout>
      <main className="admin" id="main" aria-busy={!data && !problem}>
        <div className="admin-head">
          <h1>Transactions</h1>
          <button type="button" className="btn sec" onClick={() => void refresh()}>
            Refresh
          </button>
        </div>
        {problem ? (
          <PaymentsLoadError title={C.errorLoadingTransactions} problem={problem} onRetry={retry} />
        ) : null}
        <dl className="stat-cards is-compact">
          {cards.map(([label, value]) => (
            <div className="card stat" key={label}>
              <dt>{label}</dt>
              <dd>{signedDollars(value)}</dd>
            </div>
          ))}
        </dl>
        <Disputes transactions={data} />
        <section className="card" aria-labelledby="transactions-title">
          <h2 id="transactions-title">Last 30 days</h2>
          {paid && paid.length === 0 ? <p className="lead">No payments yet.</p> : null}
          {paid && paid.length > 0 ? <PaymentTable transactions={paid} /> : null}
          <NewestPaymentsOnlyNote listed={data} sums={sums} />
          {config ? (
            <p className="meta">
              Platform fee: {config.feeRateBps / 100}% of ticket sales, at most{' '}
              {formatDollars(config.feeCapCents)} a draw.
              {sums?.feesEstimated ? ' Some card fees are estimated.' : ''}
            </p>
          ) : null}
        </section>
      </main>
    </PaymentsPageLayout>
  );
}

/** The payments that buyers' banks dispute. They wait for the club's answer at Stripe. */
function Disputes({ transactions }: { transactions: readonly StripeTransaction[] | undefined }) {
  const disputed = transactions?.filter((row) => row.disputed) ?? [];
  return (
    <section className="card" id="disputes" aria-labelledby="disputes-title">
      <h2 id="disputes-title">Disputes</h2>
      {transactions && disputed.length === 0 ? (
        <p className="lead">No buyer’s bank disputes a payment.</p>
      ) : null}
      {disputed.length > 0 ? (
        <>
          <p className="lead">
            A buyer’s bank wants the money back. Answer at Stripe; the tickets stay valid meanwhile.
          </p>
          <PaymentTable transactions={disputed} label="Disputed payments" />
        </>
      ) : null}
    </section>
  );
}

/** Table of payments. On a phone it scrolls inside its card. */
function PaymentTable({
  transactions,
  label = 'Transactions of the last 30 days',
}: {
  transactions: readonly StripeTransaction[];
  label?: string;
}) {
  const [all, setAll] = useState(false);
  const shown = all ? transactions : transactions.slice(0, INITIAL_ROW_COUNT);
  return (
    <>
      <div className="table-wrap" tabIndex={0} role="region" aria-label={label}>
        <table>
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">Draw</th>
              <th scope="col">Buyer</th>
              <th scope="col" className="num">
                Charged
              </th>
              <th scope="col" className="num">
                Stripe fee
              </th>
              <th scope="col" className="num">
                Platform fee
              </th>
              <th scope="col" className="num">
                Club
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.paymentIntentId}>
                <td>{dayAndTime(row.createdAt)}</td>
                <td>
                  {row.lines?.map(({ drawNumber }) => drawNumber).join(', ') || row.drawId || '–'}
                </td>
                <td>
                  {row.customerName ?? '–'}
                  {row.refundNote ? <p className="meta">Refund: {row.refundNote}</p> : null}
                </td>
                <td className="num">{signedDollars(row.customerCharged)}</td>
                <td className="num">{signedDollars(row.stripeFees)}</td>
                <td className="num">{signedDollars(row.platformFee)}</td>
                <td className="num">{signedDollars(row.clubPayout)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {shown.length < transactions.length ? (
        <div className="row-actions">
          <button type="button" className="btn small sec" onClick={() => setAll(true)}>
            Show all {transactions.length}
          </button>
        </div>
      ) : null}
    </>
  );
}
