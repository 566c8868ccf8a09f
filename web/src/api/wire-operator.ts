/** The shapes only the platform operator's console hears. Money is a decimal string unless the name ends in `Cents` or says cents. */
import type { Draw } from '@/api/wire';

export type SecondFactor = 'enrol' | 'required' | 'done';

export interface Whoami {
  role: string;
  clubSlug: string | null;
  user?: { id: number; email: string; name: string; isAdmin: boolean };
  secondFactor?: SecondFactor;
  reauthenticatedUntil?: string | null;
  sessionEndsAt?: string;
}

export interface Enrolment {
  secret: string;
  uri: string;
  qrDataUrl: string;
}

export const ANOMALY_TYPES = ['missing_ticket', 'duplicate_payment', 'failed_allocation', 'mismatched_amount', 'orphaned_ticket'] as const;
export type AnomalyType = (typeof ANOMALY_TYPES)[number];

export interface Anomaly {
  id: string;
  type: AnomalyType | (string & {});
  paymentIntentId: string | null;
  amount: string | null;
  customerEmail?: string | null;
  detectedAt: string;
  resolved: boolean;
  details: Record<string, unknown>;
  resolvedAt?: string | null;
  resolvedBy?: string | null;
  resolution?: string | null;
  orderId?: string | null;
  drawNumbers?: number[];
  ticketCount?: number | null;
  clubName?: string | null;
  customerName?: string | null;
  customerPhone?: string | null;
  stripeUrl?: string | null;
}

export interface AnomalyStats {
  total: number;
  unresolved: number;
  resolved: number;
  oldestUnresolvedAt?: string | null;
}

export interface Found {
  newAnomalies: number;
  healed?: number;
  examined?: number;
  hoursBack?: number;
}

export interface Customer {
  customerName: string;
  customerEmail: string;
  customerPhone: string;
}

export interface Allocated {
  allocatedTickets: { drawNumber: number; ticketNumber: number; serialNumber: string }[];
  customerName: string;
}

export interface OrphanedTicket {
  id: string;
  serialNumber: string;
  drawNumber?: number;
  homeTeam: string;
  awayTeam: string;
  homeNumber: number | null;
  awayNumber: number | null;
  amount: string;
  paymentIntentId: string | null;
  purchaseDate: string;
  orderId?: string | null;
  clubName?: string | null;
}

export interface Recovered {
  recovered: number;
  notified: boolean;
}

export interface Transaction {
  paymentIntentId: string;
  status: string;
  createdAt: string;
  paymentMethod: string | null;
  drawId: number | string;
  ticketCount: number;
  ticketPrice: string;
  customerCharged: string;
  stripeFees: string;
  platformFee: string;
  clubPayout: string;
  prizePool?: string;
  orderId?: string;
  clubName?: string;
  homeTeam?: string;
  awayTeam?: string;
  lines?: { drawNumber: number; ticketCount: number; ticketPrice: string }[];
  customerEmail?: string | null;
  customerName?: string | null;
  feesEstimated?: boolean;
  refunded?: string;
  refundState?: string | null;
  disputed?: boolean;
  stripeUrl?: string | null;
}

export interface OrderDetail {
  id: string;
  state: string;
  paymentIntentId: string | null;
  clubName: string | null;
  buyerName: string | null;
  buyerEmail: string | null;
  total: string;
  platformFee: string;
  lines: { drawNumber: number; homeTeam: string; awayTeam: string; drawStatus: string; ticketCount: number; ticketPrice: string; tickets: { ticketNumber: number; serialNumber: string }[] }[];
  refund: { state: string; amount: string; feeReturned: string; reason: string; createdAt: string | null } | null;
  refundable: boolean;
  whyNot: string | null;
}

export interface Refunded {
  orderId: string;
  state: string;
  amount: string;
  feeReturned: string;
  ticketsVoided: string[];
}

export interface AdminDraw extends Draw {
  revenue: string;
  platformFee?: string;
  orders?: number;
  createdAt?: string;
  isTest?: boolean;
  winnersNotified?: boolean;
  payoutStatus?: string | null;
  needsContact?: number;
  orphanedTickets?: number;
}

export interface AdminTicket {
  id: string;
  ticketNumber: number;
  serialNumber: string;
  sold: boolean;
  buyerName: string | null;
  buyerEmail: string | null;
  buyerPhone: string | null;
  purchaseDate?: string | null;
  orderId?: string | null;
  isWinner?: boolean | null;
}

export interface Cancellation {
  drawNumber: number;
  status: string;
  orders: number;
  tickets: number;
  refundTotal: string;
  platformFeeReturned: string;
  refunds: { pending: number; succeeded: number; failed: number };
  whyNot?: string | null;
}

export interface AdminClub {
  id: number;
  name: string;
  email: string;
  phone: string | null;
  location: string | null;
  createdAt: string;
  stripeConnectOnboardingComplete: boolean;
  stripeConnectAccountId: string | null;
  homePageSlug?: string;
  archived?: boolean;
  archivedAt?: string | null;
  totalDraws?: number;
  activeDraws?: number;
  completedDraws?: number;
  ticketsSold?: number;
  revenue?: string;
}

export interface WaitlistEntry {
  id: number;
  clubName: string;
  contactName: string;
  contactEmail: string;
  contactPhone: string;
  createdAt: string;
}

export interface SystemSetting {
  id: number;
  key: string;
  value: string;
  description: string | null;
  updatedAt: string;
  updatedBy?: string | null;
}

export interface InFlight {
  reservations: number;
  ticketsHeld: number;
  paymentsInFlight: number;
}

export interface FooterItem {
  id: number;
  menuId: number;
  label: string;
  url: string;
  displayOrder: number;
  isVisible: boolean;
}

export interface AdminFooterMenu {
  id: number;
  heading: string;
  displayOrder: number;
  isVisible: boolean;
  items: FooterItem[];
}
