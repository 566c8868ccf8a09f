import { useAtomValue } from 'jotai';
import type { Analytics } from '@/api/wire-platform';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { formatDollars } from '@/shared/money';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { AuditTrail } from '../audit/audit-trail';
import { useQuery } from '../queries/use-query';
import { isTestDraw, useHideTestDraws } from '../draws/hidden-test-draws';
import { orphanedTicketCount, orphanedTicketsText } from '../draws/sold-tickets';
import { amountText } from '../components/money';
import { FactList, StatFigure, StatFigureList, LoadError } from '../components/common';
import { Sparkline } from './sparkline';
import { STATUS_LINE_NAMES, statusLinesOf, unknownStatusLines } from './status-lines';

/** Revenue figures and their texts; the text is null when the server's sums lack the figure. */
const REVENUE_FIGURES: readonly (readonly [
  name: string,
  words: (sums: Analytics) => string | null,
])[] = [
  ['Total revenue', (sums) => amountText(sums.totalRevenue)],
  ['Platform fees', (sums) => amountText(sums.platformFees)],
  ['Club revenue', (sums) => amountText(sums.clubRevenue)],
  ['Prize money', (sums) => amountText(sums.prizeMoney)],
  [
    'Card fees',
    (sums) =>
      sums.stripeFees === undefined
        ? null
        : `${amountText(sums.stripeFees)}${sums.feesEstimated ? ', partly estimated' : ''}`,
  ],
  ['Refunded', (sums) => (sums.refunded === undefined ? null : amountText(sums.refunded))],
];

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

/** Section 'Overview': counts, revenue and system status. */
export function OverviewSection() {
  const analytics = useQuery('analytics');
  const clubs = useQuery('clubs').data;
  const draws = useQuery('draws').data;
  const sums = analytics.data;
  const orphaned = useOrphanedTicketCount();
  const active = clubs?.filter((club) => club.stripeConnectOnboardingComplete).length;
  return (
    <>
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
      <div className="ops-columns">
        <section className="card panel" aria-labelledby="revenue-title">
          <h2 id="revenue-title">Revenue Overview</h2>
          {sums ? (
            <FactList
              facts={REVENUE_FIGURES.map(([name, text]) => [name, text(sums)] as const).filter(
                ([, text]) => text !== null,
              )}
            />
          ) : null}
          {!sums && analytics.error ? (
            <LoadError
              title="The revenue did not load"
              error={analytics.error}
              onRetry={() => void analytics.refetch().catch(() => {})}
            />
          ) : null}
          {!sums && !analytics.error ? (
            <FactList facts={REVENUE_FIGURES.map(([name]) => [name, LOADING_PLACEHOLDER])} />
          ) : null}
        </section>
        <SystemStatus />
      </div>
      <Sparklines />
      <section className="card panel">
        <AuditTrail objects="" title="Latest changes" />
      </section>
    </>
  );
}

function SystemStatus() {
  const health = useQuery('health');
  const now = useAtomValue(nowAtom);
  return (
    <section className="card panel" aria-labelledby="status-title">
      <h2 id="status-title">System Status</h2>
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

const EMPTY_SPARKLINE_SERIES = {
  at: [],
  ticketsSold: [],
  payments: [],
  revenueCents: [],
  anomalies: [],
};

const sumOfValues = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);
const wholeNumberText = (value: number) => String(value);

function Sparklines() {
  const { data: series, error } = useQuery('series');
  if (series ? series.at.length === 0 : error) return null;
  const { at, ticketsSold, payments, revenueCents, anomalies } = series ?? EMPTY_SPARKLINE_SERIES;
  const lines = [
    {
      title: 'Tickets sold, 24 h',
      values: ticketsSold,
      format: wholeNumberText,
      colour: '#0b5d4b',
    },
    { title: 'Payments, 24 h', values: payments, format: wholeNumberText, colour: '#1d5fd1' },
    { title: 'Revenue, 24 h', values: revenueCents, format: formatDollars, colour: '#8a5a00' },
    { title: 'Anomalies, 24 h', values: anomalies, format: wholeNumberText, colour: '#a84300' },
  ];
  return (
    <div className="ops-sparks">
      {lines.map(({ title, values, format, colour }) => {
        const sum = format(sumOfValues(values));
        return (
          <Sparkline
            key={title}
            title={title}
            value={series ? sum : '–'}
            label={
              !series
                ? `${title}: loading`
                : `${title}: ${sum} in all, at most ${format(Math.max(0, ...values))} in ${series.stepSeconds / 60} minutes`
            }
            at={at}
            values={values}
            format={format}
            colour={colour}
          />
        );
      })}
    </div>
  );
}
