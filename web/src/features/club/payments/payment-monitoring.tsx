import { useSetAtom } from 'jotai';
import { CLUB_API_PATHS, downloadPaymentRecoveryReport } from '@/api/endpoints/club';
import type { FailedPayment, IntegrityAudit } from '@/api/wire-payments';
import { dayAndTime } from '@/shared/dates';
import { formatDollars } from '@/shared/money';
import { saveFile } from '@/shared/save-file';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { usePageTitle } from '@/shared/ui/page-title';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { useQuery } from '../data/use-query';
import { userOf } from '../frame/club-page';
import { roleOf, canSell } from '../session/roles';
import { useSession } from '../session/use-session';
import { PaymentsLoadError, PaymentsPageLayout } from './payments-frame';

const ACTIVE_PAYMENT_CHECK_TEXTS = [
  'A card is charged only after its tickets are written down; if they cannot be given, nothing is charged.',
  'Each payment gives its tickets once, however often it is reported.',
  'Every payment the provider knows is compared with the books, and what differs is raised with the operator.',
  'No ticket is sold at or after kick-off, by the server’s clock.',
];

/** Payment integrity page: failed payments and the active checks (specification line B:84). */
export function PaymentMonitoringPage() {
  const { data, problem, retry } = useQuery<IntegrityAudit>(CLUB_API_PATHS.audit, {
    opensLogin: false,
  });
  const showToast = useSetAtom(showToastAtom);
  const user = userOf(useSession());
  const canSellTickets = !user || canSell({ role: roleOf(user) });
  usePageTitle('Payment monitoring');
  const refresh = async () =>
    showToast(
      (await retry())
        ? { title: 'Audit refreshed' }
        : { title: C.refreshFailed, text: C.pleaseTryAgain, bad: true },
    );
  const cards: [string, string][] = [
    [C.failedPayments, data ? String(data.failedCount) : '–'],
    [C.totalAmount, data ? formatDollars(data.totalFailedAmount) : '–'],
    [C.affectedCustomers, data ? String(data.affectedCustomers) : '–'],
  ];
  return (
    <PaymentsPageLayout>
      <main className="admin" id="main" aria-busy={!data && !problem}>
        <h1>Payment monitoring</h1>
        {!data && problem ? (
          <PaymentsLoadError title="Failed to load the audit" problem={problem} onRetry={retry} />
        ) : null}
        <dl className="stat-cards">
          {cards.map(([label, value]) => (
            <div className="card stat" key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <div className="row-actions">
          <button type="button" className="btn" onClick={() => void refresh()}>
            {C.refreshAudit}
          </button>
          {canSellTickets ? (
            <button
              type="button"
              className="btn sec"
              onClick={() =>
                void downloadPaymentRecoveryReport().then(saveFile, () =>
                  showToast({ title: C.downloadFailed, text: C.downloadFailedText, bad: true }),
                )
              }
            >
              {C.downloadReport}
            </button>
          ) : null}
        </div>
        <section className="card" aria-labelledby="failed-title">
          <h2 id="failed-title">Failed payments</h2>
          {data && data.failedPayments.length === 0 ? <p className="lead">None.</p> : null}
          <ul className="failures">
            {(data?.failedPayments ?? []).map((payment) => (
              <FailedPaymentItem key={payment.paymentIntentId} payment={payment} />
            ))}
          </ul>
          {data && data.failedCount > data.failedPayments.length ? (
            <p className="meta">The newest {data.failedPayments.length} are listed.</p>
          ) : null}
        </section>
        <section className="card" aria-labelledby="guards-title">
          <h2 id="guards-title">Safeguards</h2>
          <ul className="safeguards">
            {ACTIVE_PAYMENT_CHECK_TEXTS.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </section>
      </main>
    </PaymentsPageLayout>
  );
}

function FailedPaymentItem({ payment }: { payment: FailedPayment }) {
  const { drawId, ticketCount, paymentMethod } = payment.metadata ?? {};
  const about = [
    drawId ? `Draw ${drawId}` : '',
    ticketCount ? `${ticketCount} tickets` : '',
    paymentMethod ?? '',
  ]
    .filter(Boolean)
    .join(' · ');
  return (
    <li>
      <div>
        <strong>{payment.paymentIntentId}</strong>
        <span className="num">{formatDollars(payment.amount)}</span>
      </div>
      <span className="badge is-awaiting">{payment.status}</span>
      <span className="meta">
        {[about, dayAndTime(new Date(payment.created * 1000).toISOString())]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </li>
  );
}
