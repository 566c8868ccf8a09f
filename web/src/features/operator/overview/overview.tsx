import { useAtomValue } from 'jotai';
import { Link } from 'wouter';
import type { Analytics } from '@/api/wire-platform';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { AuditTrail } from '../audit/audit-trail';
import { CONSOLE_PATH } from '../console/address';
import { useQuery, type ConsoleQuery } from '../queries/use-query';
import { isTestDraw, useHideTestDraws } from '../draws/hidden-test-draws';
import { orphanedTicketCount, orphanedTicketsText } from '../draws/sold-tickets';
import { amountText, signedCents, signedDollars } from '../components/money';
import { RelativeTime } from '../components/relative-time';
import { StatFigure, StatFigureList, LoadError } from '../components/common';
import { TaskQueue } from './task-queue';
import { TrendCharts } from './trend-charts';
import { STATUS_LINE_NAMES, statusLinesOf, unknownStatusLines } from './status-lines';

const LATEST_CHANGES = 6;

export interface RevenueTerm {
  /** The operator before the term, such as a minus sign; empty for a term outside the sum. */
  sign: '' | '−' | '+' | '=';
  name: string;
  /** The amount; null while it loads. */
  text: string | null;
}

/**
 * Returns the terms of the revenue's sum. Card fees that buyers paid on top are not in the ticket
 * revenue, so only the part of the fees that clubs bear is subtracted.
 */
export function revenueTermsOf(sums: Analytics): RevenueTerm[] {
  const borneFees =
    signedCents(sums.totalRevenue) - signedCents(sums.platformFees) - signedCents(sums.clubRevenue);
  const keep = signedCents(sums.clubRevenue) - signedCents(sums.prizeMoney);
  return [
    { sign: '', name: 'Total revenue', text: amountText(sums.totalRevenue) },
    { sign: '−', name: 'Platform fees', text: amountText(sums.platformFees) },
    {
      sign: borneFees < 0 ? '+' : '−',
      name:
        borneFees < 0
          ? 'Card fees paid by buyers, less Stripe’s'
          : `Card fees${sums.feesEstimated ? ', partly estimated' : ''}`,
      text: signedDollars(Math.abs(borneFees)),
    },
    { sign: '=', name: 'Club revenue', text: amountText(sums.clubRevenue) },
    { sign: '', name: 'Prize money', text: amountText(sums.prizeMoney) },
    { sign: '', name: 'Clubs keep', text: signedDollars(keep) },
  ];
}

const REVENUE_TERMS_LOADING: readonly RevenueTerm[] = [
  'Total revenue',
  'Platform fees',
  'Card fees',
  'Club revenue',
  'Prize money',
  'Clubs keep',
].map((name) => ({ sign: '', name, text: null }));

/** Placeholder that keeps the layout stable until the figure's text loads. */
const LOADING_PLACEHOLDER = <span className="skeleton ops-skeleton-word" />;

/**
 * Counts orphaned tickets, which are paid but have no buyer. Like the sums beside it, the count
 * leaves out hidden test draws (decision E-15). Returns 0 when the draws failed to load.
 */
function useOrphanedTicketCount(): number | undefined {
  const { data, error } = useQuery('draws');
  const hideTest = useHideTestDraws().on;
  if (data) return orphanedTicketCount(data.filter((draw) => !hideTest || !isTestDraw(draw)));
  return error ? 0 : undefined;
}

/** Section 'Overview': open tasks, system status, counts, revenue and the latest changes. */
export function OverviewSection() {
  const analytics = useQuery('analytics');
  const clubs = useQuery('clubs').data;
  const draws = useQuery('draws').data;
  const sums = analytics.data;
  const orphaned = useOrphanedTicketCount();
  const active = clubs?.filter((club) => club.stripeConnectOnboardingComplete).length;
  return (
    <div className="ops-overview">
      <TaskQueue />
      <SystemStatus />
      <div className="ops-overview-sums">
        <StatFigureList label={O.overview}>
          <StatFigure label="Total Clubs" value={sums?.totalClubs ?? clubs?.length} />
          <StatFigure label="Active Clubs" value={sums?.activeClubs ?? active} />
          <StatFigure label="Total Draws" value={sums?.totalDraws ?? draws?.length} />
          <StatFigure
            label="Tickets Sold"
            value={
              sums && orphaned !== undefined ? Math.max(0, sums.ticketsSold - orphaned) : undefined
            }
            note={sums && orphanedTicketsText(orphaned ?? 0)}
          />
        </StatFigureList>
        <RevenueOverview analytics={analytics} />
        <TrendCharts />
      </div>
      <section className="card panel ops-overview-log">
        <AuditTrail objects="" title="Latest changes" limit={LATEST_CHANGES} />
        <p>
          <Link href={`${CONSOLE_PATH}?section=activity`}>Activity log</Link>
        </p>
      </section>
    </div>
  );
}

/** The revenue as a sum that adds up: what buyers paid, less the fees, is what the clubs get. */
function RevenueOverview({ analytics }: { analytics: ConsoleQuery<Analytics> }) {
  const sums = analytics.data;
  const terms = sums ? revenueTermsOf(sums) : null;
  return (
    <section className="card panel" aria-labelledby="revenue-title">
      <div className="ops-panel-head">
        <h2 id="revenue-title">Revenue Overview</h2>
        <span className="meta">
          {sums?.refunded === undefined
            ? 'all draws'
            : `all draws, refunds of ${amountText(sums.refunded)} already taken off`}
        </span>
      </div>
      {!sums && analytics.error ? (
        <LoadError
          title="The revenue did not load"
          error={analytics.error}
          onRetry={() => void analytics.refetch().catch(() => {})}
        />
      ) : (
        <dl className="ops-sum">
          {(terms ?? REVENUE_TERMS_LOADING).map(({ sign, name, text }) => (
            <div key={name}>
              {sign ? (
                <span className="ops-sum-sign" aria-hidden="true">
                  {sign}
                </span>
              ) : null}
              <dt>{name}</dt>
              <dd>{text ?? LOADING_PLACEHOLDER}</dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

function SystemStatus() {
  const health = useQuery('health');
  const now = useAtomValue(nowAtom);
  return (
    <section className="card panel ops-overview-status" aria-labelledby="status-title">
      <div className="ops-panel-head">
        <h2 id="status-title">System Status</h2>
        {health.data ? (
          <span className="meta">
            measured <RelativeTime at={health.data.checkedAt} />
          </span>
        ) : null}
      </div>
      {health.data ? (
        <ul className="ops-status">
          {(health.error
            ? unknownStatusLines(health.data, now)
            : statusLinesOf(health.data, now)
          ).map(({ name, ok, status, detail }) => (
            <li key={name} className={ok ? 'is-ok' : 'is-bad'}>
              <span>{name}</span>
              <strong>{status}</strong>
              <small>{detail}</small>
            </li>
          ))}
        </ul>
      ) : null}
      {!health.data && health.error ? (
        <ul className="ops-status">
          <li className="is-bad">
            <span>System</span>
            <strong>Unknown</strong>
            <small>the health check did not answer</small>
          </li>
        </ul>
      ) : null}
      {!health.data && !health.error ? (
        <ul className="ops-status" aria-busy="true" aria-label="Loading">
          {STATUS_LINE_NAMES.map((name) => (
            <li key={name}>
              <span>{name}</span>
              {LOADING_PLACEHOLDER}
              <small>&nbsp;</small>
            </li>
          ))}
        </ul>
      ) : null}
    </section>
  );
}
