/**
 * The console's queries: request, poll interval (section 7 of the operator specification), and the
 * socket's revision counter that announces changes.
 */
import * as ask from '@/api/endpoints/operator';
import type { OpsNews } from '@/api/wire-platform';

const HALF_A_MINUTE = 30_000;
const A_MINUTE = 60_000;

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
  // The poll intervals of the next queries are given by the specification.
  anomalies: defineQuery(ask.fetchAnomalies, HALF_A_MINUTE, 'anomalies'),
  stats: defineQuery(ask.fetchAnomalyStats, HALF_A_MINUTE, 'anomalies'),
  transactions: defineQuery(ask.fetchTransactions, HALF_A_MINUTE, 'transactions'),
  transactionSums: defineQuery(ask.fetchTransactionSums, HALF_A_MINUTE, 'transactions'),
  maintenance: defineQuery(ask.fetchMaintenance, HALF_A_MINUTE, 'settings'),
  settings: defineQuery(ask.fetchSettings, A_MINUTE, 'settings'),
  // Queries without a specified interval are polled once a minute, and at once when the socket
  // announces a change.
  registration: defineQuery(ask.fetchRegistration, A_MINUTE, 'settings'),
  hideTest: defineQuery(() => ask.fetchSetting('hide_test_draws'), A_MINUTE, 'settings'),
  configuration: defineQuery(ask.fetchConfiguration, A_MINUTE, 'settings'),
  menus: defineQuery(ask.fetchAdminMenus, A_MINUTE, 'footer'),
  orphans: defineQuery(ask.fetchOrphans, A_MINUTE, 'orphans'),
  draws: defineQuery(ask.fetchAdminDraws, A_MINUTE, 'draws'),
  clubs: defineQuery(ask.fetchAdminClubs, A_MINUTE, 'clubs'),
  archived: defineQuery(ask.fetchArchivedClubs, A_MINUTE, 'clubs'),
  waitlist: defineQuery(ask.fetchWaitlist, A_MINUTE, 'waitlist'),
  analytics: defineQuery(ask.fetchAnalytics, A_MINUTE, 'transactions'),
  series: defineQuery(() => ask.fetchSeries(24), A_MINUTE),
  health: defineQuery(ask.fetchHealth, HALF_A_MINUTE),
} as const;

export type QueryName = keyof typeof QUERIES;
export type QueryData<Name extends QueryName> =
  (typeof QUERIES)[Name] extends QueryDefinition<infer Answer> ? Answer : never;
