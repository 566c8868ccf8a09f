/** The shapes only the platform operator's console hears, as the server describes them; what is sent, as its forms know it. */
import type { Anomaly as Raised } from './generated/schema';

export type {
  AnomalyStats,
  Cancellation,
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

export type SecondFactor = 'enrol' | 'required' | 'done';

export const ANOMALY_TYPES = [
  'missing_ticket',
  'duplicate_payment',
  'failed_allocation',
  'mismatched_amount',
  'orphaned_ticket',
] as const;
export type AnomalyType = (typeof ANOMALY_TYPES)[number];

/** Whatever explains it is as it happens to be, which the description's language has no word for. */
export type Anomaly = Omit<Raised, 'details'> & { details: Record<string, unknown> };

export interface Customer {
  customerName: string;
  customerEmail: string;
  customerPhone: string;
}
