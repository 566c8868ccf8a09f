/**
 * Wire types of the operator's console. Responses come from the server's schema. Requests are
 * declared here.
 */
import type { Anomaly as Raised } from './generated/schema';

export type {
  AnomalyStats,
  Cancellation,
  ClubReminded,
  ConsoleClub as AdminClub,
  ConsoleDraw as AdminDraw,
  ConsoleOrder as OrderDetail,
  Enrolment,
  FooterItem,
  FooterMenu as AdminFooterMenu,
  InFlight,
  MissingTicketResolved,
  OrphanedTicket,
  PaidTickets,
  ProviderTransaction as Transaction,
  TicketsRecovered,
  OrderRefunded,
  ScanResult,
  Setting as SystemSetting,
  Ticket as AdminTicket,
  TransactionSums,
  WaitlistEntry,
  Whoami,
} from './generated/schema';

export const ANOMALY_TYPES = [
  'missing_ticket',
  'duplicate_payment',
  'failed_allocation',
  'mismatched_amount',
  'orphaned_ticket',
  'dispute',
  'owed_refund',
] as const;
export type AnomalyType = (typeof ANOMALY_TYPES)[number];

/** `details` is typed as any object, because the generated type of its fields is `never`. */
export type Anomaly = Omit<Raised, 'details'> & { details: Record<string, unknown> };

export interface TicketCustomer {
  customerName: string;
  customerEmail: string;
  customerPhone: string;
}
