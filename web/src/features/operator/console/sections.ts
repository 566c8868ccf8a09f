/**
 * The console's ten sections in the specified order (specification lines C:28-37): URL word, title
 * and queries.
 */
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import type { QueryName } from '../queries/queries';

export interface Section {
  key: SectionKey;
  title: string;
  queries: readonly QueryName[];
}

export type SectionKey =
  | 'overview'
  | 'clubs'
  | 'archived'
  | 'waitlist'
  | 'draws'
  | 'payments'
  | 'orphans'
  | 'transactions'
  | 'system'
  | 'fees'
  | 'activity';

export const SECTIONS: readonly Section[] = [
  {
    key: 'overview',
    title: O.overview,
    queries: ['analytics', 'anomalies', 'clubs', 'draws', 'hideTest', 'series'],
  },
  { key: 'clubs', title: O.clubManagement, queries: ['clubs', 'draws', 'hideTest'] },
  { key: 'archived', title: O.archivedClubs, queries: ['archived'] },
  { key: 'waitlist', title: O.waitlist, queries: [] },
  { key: 'draws', title: O.drawManagement, queries: ['draws', 'hideTest'] },
  { key: 'payments', title: O.paymentMonitor, queries: ['anomalies', 'draws'] },
  { key: 'orphans', title: O.orphanedTickets, queries: [] },
  {
    key: 'transactions',
    title: O.stripeTransactions,
    queries: ['transactions', 'transactionSums'],
  },
  {
    key: 'system',
    title: O.systemControls,
    queries: ['settings', 'registration', 'hideTest', 'configuration', 'menus'],
  },
  { key: 'fees', title: O.platformFeesReport, queries: ['configuration', 'draws', 'hideTest'] },
];

/** The audit log. It stands at the foot of the sidebar and is not one of the specified sections. */
export const ACTIVITY_LOG: Section = {
  key: 'activity',
  title: 'Activity log',
  queries: ['draws', 'clubs'],
};

/**
 * Queries that stay current in every section, for the sidebar, the page title and the badge.
 */
export const QUERIES_OF_ALL_SECTIONS: readonly QueryName[] = [
  'stats',
  'waitlist',
  'orphans',
  'maintenance',
  'health',
];

export const sectionOf = (key: string): Section =>
  [...SECTIONS, ACTIVITY_LOG].find((section) => section.key === key) ?? (SECTIONS[0] as Section);
