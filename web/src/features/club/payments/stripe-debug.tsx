import { useAtomValue } from 'jotai';
import { AT } from '@/api/endpoints/club';
import type { StripeDebug as Answer, StripeTransaction } from '@/api/wire-payments';
import { configAtom } from '@/features/shared-live/live-atoms';
import { dayAndTime } from '@/shared/dates';
import { dollars } from '@/shared/money';
import { C } from '@/shared/strings-club';
import { usePageTitle } from '@/shared/ui/page-title';
import { signedDollars } from '../dashboard/draw-words';
import { useAnswer } from '../data/use-answer';
import { LoadTrouble, PaymentsFrame } from './payments-frame';

const EVERY_MS = 30_000;

/** Successful payments of the last 30 days with their sums (B:87); the prize pools of this page are fixed at nothing (decision D-13). */
export function StripeDebug() {
  const { data, problem, retry } = useAnswer<Answer>(AT.stripeDebug, { every: EVERY_MS, guarded: false });
  const config = useAtomValue(configAtom);
  usePageTitle('Transactions');
  const summary = data?.summary;
  const cards: [string, string | undefined][] = [
    ['Total Charged', summary?.totalCharged],
    ['Stripe Fees', summary?.stripeFees],
    ['Platform Fees', summary?.platformFees],
    ['Club Payouts', summary?.clubPayouts],
    ['Prize Pools', '0.00'],
  ];
  return (
    <PaymentsFrame>
      <main className="admin" id="main" aria-busy={!data && !problem}>
        <div className="admin-head">
          <h1>Transactions</h1>
          <button type="button" className="btn sec" onClick={() => void retry()}>Refresh</button>
        </div>
        {problem ? <LoadTrouble title={C.errorLoadingTransactions} problem={problem} onRetry={retry} /> : null}
        <dl className="stat-cards is-five">{cards.map(([label, value]) => <div className="card stat" key={label}><dt>{label}</dt><dd>{signedDollars(value)}</dd></div>)}</dl>
        <section className="card" aria-labelledby="transactions-title">
          <h2 id="transactions-title">Last 30 days</h2>
          {data && data.transactions.length === 0 ? <p className="lead">No payments yet.</p> : null}
          {data && data.transactions.length > 0 ? <Rows transactions={data.transactions} /> : null}
          {config ? <p className="meta">Platform fee: {config.feeRateBps / 100}% of ticket sales, at most {dollars(config.feeCapCents)} a draw.{data?.feesEstimated ? ' Some card fees are estimated.' : ''}</p> : null}
        </section>
      </main>
    </PaymentsFrame>
  );
}

/** Sums beside each other on a desk; on a phone the table scrolls inside its card. */
function Rows({ transactions }: { transactions: readonly StripeTransaction[] }) {
  return (
    <div className="table-wrap" tabIndex={0} role="region" aria-label="Transactions of the last 30 days">
      <table>
        <thead>
          <tr><th scope="col">When</th><th scope="col">Draw</th><th scope="col">Buyer</th><th scope="col" className="num">Charged</th><th scope="col" className="num">Stripe fee</th><th scope="col" className="num">Platform fee</th><th scope="col" className="num">Club</th></tr>
        </thead>
        <tbody>
          {transactions.map((row) => (
            <tr key={row.paymentIntentId}>
              <td>{dayAndTime(new Date(row.created * 1000).toISOString())}</td>
              <td>{(row.drawNumbers ?? []).join(', ') || '–'}</td>
              <td>{row.customerName ?? '–'}</td>
              <td className="num">{dollars(row.amount)}</td>
              <td className="num">{dollars(row.stripeFee)}</td>
              <td className="num">{dollars(row.platformFee)}</td>
              <td className="num">{dollars(row.clubPayout)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
