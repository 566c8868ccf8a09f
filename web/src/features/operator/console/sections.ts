/**
 * The ten sections in the specified order (specification lines C:28-38): URL word, title and
 * queries.
 */
import { O } from '@/shared/strings-operator';
import type { QuestionName } from '../queries/queries';

export interface Section {
  key: SectionKey;
  title: string;
  needs: readonly QuestionName[];
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
  | 'fees';

export const SECTIONS: readonly Section[] = [
  {
    key: 'overview',
    title: O.overview,
    needs: ['analytics', 'clubs', 'draws', 'hideTest', 'health', 'series'],
  },
  { key: 'clubs', title: O.clubManagement, needs: ['clubs', 'draws', 'hideTest'] },
  { key: 'archived', title: O.archivedClubs, needs: ['archived'] },
  { key: 'waitlist', title: O.waitlist, needs: [] },
  { key: 'draws', title: O.drawManagement, needs: ['draws', 'hideTest'] },
  { key: 'payments', title: O.paymentMonitor, needs: ['anomalies'] },
  { key: 'orphans', title: O.orphanedTickets, needs: [] },
  { key: 'transactions', title: O.stripeTransactions, needs: ['transactions', 'transactionSums'] },
  {
    key: 'system',
    title: O.systemControls,
    needs: ['settings', 'registration', 'hideTest', 'configuration', 'menus'],
  },
  { key: 'fees', title: O.platformFeesReport, needs: ['configuration', 'draws', 'hideTest'] },
];

/** Queries that every section needs for the sidebar badges and the header. */
export const ALWAYS: readonly QuestionName[] = ['stats', 'waitlist', 'orphans', 'maintenance'];

export const sectionOf = (key: string): Section =>
  SECTIONS.find((section) => section.key === key) ?? (SECTIONS[0] as Section);
