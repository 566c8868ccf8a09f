/**
 * The console's queries: request, poll interval (section 7 of the operator specification), and the
 * socket counter that announces changes.
 */
import * as ask from '@/api/endpoints/operator';
import type { OpsNews } from '@/api/wire-platform';

const HALF_A_MINUTE = 30_000;
const A_MINUTE = 60_000;

export interface Question<Answer> {
  ask: () => Promise<Answer>;
  /** Milliseconds between polls while the socket sends nothing. */
  every: number;
  follows?: keyof OpsNews['revisions'];
}

const question = <Answer>(
  asked: () => Promise<Answer>,
  every: number,
  follows?: keyof OpsNews['revisions'],
): Question<Answer> => ({ ask: asked, every, follows });

export const QUESTIONS = {
  // Intervals given by the specification.
  anomalies: question(ask.fetchAnomalies, HALF_A_MINUTE, 'anomalies'),
  stats: question(ask.fetchAnomalyStats, HALF_A_MINUTE, 'anomalies'),
  transactions: question(ask.fetchTransactions, HALF_A_MINUTE, 'transactions'),
  transactionSums: question(ask.fetchTransactionSums, HALF_A_MINUTE, 'transactions'),
  maintenance: question(ask.fetchMaintenance, HALF_A_MINUTE, 'settings'),
  settings: question(ask.fetchSettings, A_MINUTE, 'settings'),
  // Queries without a specified interval are polled once a minute, and at once when the socket
  // announces a change.
  registration: question(ask.fetchRegistration, A_MINUTE, 'settings'),
  hideTest: question(() => ask.fetchSetting('hide_test_draws'), A_MINUTE, 'settings'),
  configuration: question(ask.fetchConfiguration, A_MINUTE, 'settings'),
  menus: question(ask.fetchAdminMenus, A_MINUTE, 'footer'),
  orphans: question(ask.fetchOrphans, A_MINUTE, 'orphans'),
  draws: question(ask.fetchAdminDraws, A_MINUTE, 'draws'),
  clubs: question(ask.fetchAdminClubs, A_MINUTE, 'clubs'),
  archived: question(ask.fetchArchivedClubs, A_MINUTE, 'clubs'),
  waitlist: question(ask.fetchWaitlist, A_MINUTE, 'waitlist'),
  analytics: question(ask.fetchAnalytics, A_MINUTE, 'transactions'),
  series: question(() => ask.fetchSeries(24), A_MINUTE),
  health: question(ask.fetchHealth, HALF_A_MINUTE),
} as const;

export type QuestionName = keyof typeof QUESTIONS;
export type AnswerTo<Name extends QuestionName> =
  (typeof QUESTIONS)[Name] extends Question<infer Answer> ? Answer : never;
