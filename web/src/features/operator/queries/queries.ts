/**
 * The console's queries: request, poll interval (section 7 of the operator specification), and the
 * socket's revision counter that announces changes.
 */
import * as ask from '@/api/endpoints/operator';
import type { OpsNews } from '@/api/wire-platform';

const HALF_A_MINUTE_MS = 30_000;
const MINUTE_MS = 60_000;

export interface QueryDefinition<Answer> {
  fetch: () => Promise<Answer>;
  /** Milliseconds between polls while the socket sends nothing. */
  intervalMs: number;
  revisionList?: keyof OpsNews['revisions'];
}

const defineQuery = <Answer>(
  asked: () => Promise<Answer>,
  intervalMs: number,
  revisionList?: keyof OpsNews['revisions'],
): QueryDefinition<Answer> => ({ fetch: asked, intervalMs, revisionList });

export const QUERIES = {
  // The specification gives the poll intervals of the first six queries, `anomalies` to `settings`.
  anomalies: defineQuery(ask.fetchAnomalies, HALF_A_MINUTE_MS, 'anomalies'),
  stats: defineQuery(ask.fetchAnomalyStats, HALF_A_MINUTE_MS, 'anomalies'),
  transactions: defineQuery(ask.fetchTransactions, HALF_A_MINUTE_MS, 'transactions'),
  transactionSums: defineQuery(ask.fetchTransactionSums, HALF_A_MINUTE_MS, 'transactions'),
  maintenance: defineQuery(ask.fetchMaintenanceMode, HALF_A_MINUTE_MS, 'settings'),
  settings: defineQuery(ask.fetchSettings, MINUTE_MS, 'settings'),
  // The specification gives no poll intervals for the queries from `registration` on.
  registration: defineQuery(ask.fetchRegistrationSetting, MINUTE_MS, 'settings'),
  hideTest: defineQuery(() => ask.fetchSetting('hide_test_draws'), MINUTE_MS, 'settings'),
  configuration: defineQuery(ask.fetchConfiguration, MINUTE_MS, 'settings'),
  menus: defineQuery(ask.fetchAdminFooterMenus, MINUTE_MS, 'footer'),
  orphans: defineQuery(ask.fetchOrphanedTickets, MINUTE_MS, 'orphans'),
  draws: defineQuery(ask.fetchAdminDraws, MINUTE_MS, 'draws'),
  clubs: defineQuery(ask.fetchAdminClubs, MINUTE_MS, 'clubs'),
  archived: defineQuery(ask.fetchArchivedClubs, MINUTE_MS, 'clubs'),
  waitlist: defineQuery(ask.fetchWaitlist, MINUTE_MS, 'waitlist'),
  analytics: defineQuery(ask.fetchAnalytics, MINUTE_MS, 'transactions'),
  series: defineQuery(() => ask.fetchMetricSeries(24), MINUTE_MS),
  health: defineQuery(ask.fetchHealth, HALF_A_MINUTE_MS),
} as const;

export type QueryName = keyof typeof QUERIES;
export type QueryData<Name extends QueryName> =
  (typeof QUERIES)[Name] extends QueryDefinition<infer Answer> ? Answer : never;
