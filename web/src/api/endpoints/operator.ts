/** API calls of the operator's console (specification part C, section 7). */
import { del, download, get, patch, post } from '@/api/http';
import type {
  AdminClub,
  AdminDraw,
  AdminFooterMenu,
  AdminTicket,
  MissingTicketResolved,
  Anomaly,
  AnomalyStats,
  Cancellation,
  ClubReminded,
  TicketCustomer,
  Enrolment,
  FooterItem,
  ScanResult,
  InFlight,
  OrderDetail,
  OrphanedTicket,
  PaidTickets,
  TicketsRecovered,
  OrderRefunded,
  SystemSetting,
  Transaction,
  TransactionSums,
  WaitlistEntry,
  Whoami,
} from '@/api/wire-operator';
import type {
  Analytics,
  AuditPage,
  Configuration,
  Health,
  PlatformFees,
  SearchHit,
  Series,
} from '@/api/wire-platform';

const encodeId = (value: string | number) => encodeURIComponent(String(value));

// Endpoints for the operator's session.
export const fetchWhoami = () => get<Whoami>('/api/admin/whoami');
export const enrolAuthenticator = () => post<Enrolment>('/api/admin/totp/enrol', {});
export const verifyTotpCode = (code: string) => post<Whoami>('/api/admin/totp/verify', { code });
export const reauthenticate = (code: string) =>
  post<{ reauthenticatedUntil: string }>('/api/admin/reauthenticate', { code });
export const logout = () => post<void>('/api/admin/logout', {});

// Endpoints for payment anomalies and transactions.
export const fetchAnomalies = () => get<Anomaly[]>('/api/admin/payment-anomalies');
export const fetchAnomalyStats = () => get<AnomalyStats>('/api/admin/payment-anomalies/stats');
/** Resolves an anomaly. Sends no body if there is no reason (specification line C:265). */
export const resolveAnomaly = (anomaly: string, reason?: string) =>
  post<Anomaly>(
    `/api/admin/payment-anomalies/${encodeId(anomaly)}/resolve`,
    reason ? { note: reason } : undefined,
  );
/**
 * Returns the tickets that were paid for, from the order or from the payment provider's metadata.
 */
export const fetchPaidTickets = (anomaly: string) =>
  get<PaidTickets>(`/api/admin/payment-anomalies/${encodeId(anomaly)}/tickets`);
export const allocateMissingTicket = (
  missing: { paymentIntentId: string; drawNumber?: number; ticketCount?: number } & TicketCustomer,
) => post<MissingTicketResolved>('/api/admin/payment-anomalies/resolve', missing);
/** Refunds only the payment of this anomaly and resolves the anomaly. */
export const refundAnomaly = (anomaly: string, reason: string) =>
  post<Anomaly>(`/api/admin/payment-anomalies/${encodeId(anomaly)}/refund`, { reason });
export const runAnomalyCheck = () =>
  post<ScanResult>('/api/admin/payment-anomalies/check', undefined);
export const scanPaymentHistory = (hoursBack: number) =>
  post<ScanResult>('/api/admin/payment-anomalies/scan-historical', { hoursBack });
export const fetchOrphanedTickets = () => get<OrphanedTicket[]>('/api/admin/orphaned-tickets');

export interface TicketRecoveryInput {
  name: string;
  email: string;
  phone?: string;
  secondApproval?: { email: string; code: string };
}

export const recoverTicket = (ticket: string, recovery: TicketRecoveryInput) =>
  patch<TicketsRecovered>(`/api/admin/tickets/${encodeId(ticket)}/recover`, recovery);
export const fetchTransactions = () => get<Transaction[]>('/api/stripe-debug');
export const fetchTransactionSums = () => get<TransactionSums>('/api/stripe-debug/sums');
export const fetchOrder = (order: string) =>
  get<OrderDetail>(`/api/admin/orders/${encodeId(order)}`);
export const refundOrder = (order: string, reason: string) =>
  post<OrderRefunded>(`/api/admin/orders/${encodeId(order)}/refund`, { reason });

// Endpoints for draws and their tickets.
export const fetchAdminDraws = () => get<AdminDraw[]>('/api/admin/draws');
export const fetchAdminTickets = (draw: number) => get<AdminTicket[]>(`/api/draws/${draw}/tickets`);
export const downloadDrawReport = (draw: number) =>
  download(`/api/admin/draws/${draw}/report`, `FD-${draw}-report.pdf`);
export const undoResults = (draw: number, input: { reason: string; drawNumber: number }) =>
  post<{ newStatus: string }>(`/api/draws/${draw}/undo-results`, input);
export const fetchCancellationPreview = (draw: number) =>
  get<Cancellation>(`/api/admin/draws/${draw}/cancellation`);
export const cancelDraw = (draw: number, input: { reason: string; drawNumber: number }) =>
  post<Cancellation>(`/api/admin/draws/${draw}/cancel`, input);
export const moveKickOff = (draw: number, input: { gameDate: string; reason: string }) =>
  patch<AdminDraw>(`/api/draws/${draw}`, input);
/** Mails the club that the result is due, unless it got this mail within the last hour. */
export const remindClubOfResult = (draw: number) =>
  post<ClubReminded>(`/api/admin/draws/${draw}/remind`, undefined);
export const closeExpiredDraws = () =>
  post<{ message: string }>('/api/admin/close-expired-draws', undefined);

// Endpoints for clubs and the waitlist.
export const fetchAdminClubs = () => get<AdminClub[]>('/api/admin/clubs');
export const fetchArchivedClubs = () => get<AdminClub[]>('/api/admin/clubs/archived');
export const archiveClub = (club: number) =>
  post<AdminClub>(`/api/admin/clubs/${club}/archive`, undefined);
export const restoreClub = (club: number) =>
  post<AdminClub>(`/api/admin/clubs/${club}/unarchive`, undefined);
export const fetchWaitlist = () => get<WaitlistEntry[]>('/api/admin/waitlist');
export const removeWaitlistEntry = (entry: number) => del<void>(`/api/admin/waitlist/${entry}`);

// Endpoints for settings and footer menus. This name fills the request field `updatedBy`, which the
// server ignores.
const UPDATED_BY_NAME = 'Super Admin';
export const fetchMaintenanceMode = () =>
  get<{ maintenanceMode: boolean }>('/api/maintenance-mode');
export const setMaintenanceMode = (enabled: boolean) =>
  post<{ maintenanceMode: boolean }>('/api/admin/maintenance-mode', {
    enabled,
    updatedBy: UPDATED_BY_NAME,
  });
export const fetchInFlightPayments = () => get<InFlight>('/api/admin/in-flight');
export const fetchSettings = () => get<SystemSetting[]>('/api/admin/system-settings');
export const fetchSetting = (key: string) =>
  get<SystemSetting>(`/api/admin/system-settings/${encodeId(key)}`);
export const saveSetting = (key: string, value: boolean, description: string) =>
  post<SystemSetting>(`/api/admin/system-settings/${encodeId(key)}`, {
    value: String(value),
    description,
    updatedBy: UPDATED_BY_NAME,
  });
export const fetchRegistrationSetting = () =>
  get<{ enabled?: boolean }>('/api/settings/club-registration');
export const fetchConfiguration = () => get<Configuration>('/api/admin/configuration');

export type FooterMenuInput = Pick<AdminFooterMenu, 'heading' | 'displayOrder' | 'isVisible'>;
export type FooterItemInput = Pick<
  FooterItem,
  'menuId' | 'label' | 'url' | 'displayOrder' | 'isVisible'
>;
export const fetchAdminFooterMenus = () => get<AdminFooterMenu[]>('/api/admin/footer-menus');
export const createFooterMenu = (input: FooterMenuInput) =>
  post<AdminFooterMenu>('/api/admin/footer-menus', input);
export const updateFooterMenu = (menu: number, input: Partial<FooterMenuInput>) =>
  patch<AdminFooterMenu>(`/api/admin/footer-menus/${menu}`, input);
export const deleteFooterMenu = (menu: number) => del<void>(`/api/admin/footer-menus/${menu}`);
export const createFooterItem = (input: FooterItemInput) =>
  post<FooterItem>('/api/admin/footer-menu-items', input);
export const updateFooterItem = (item: number, input: Partial<FooterItemInput>) =>
  patch<FooterItem>(`/api/admin/footer-menu-items/${item}`, input);
export const deleteFooterItem = (item: number) => del<void>(`/api/admin/footer-menu-items/${item}`);

// Endpoints for the platform's sums, health, configuration and audit trail.
export const fetchAnalytics = () => get<Analytics>('/api/admin/analytics');
export const fetchMetricSeries = (hours: number) => get<Series>(`/api/admin/series?hours=${hours}`);
export const fetchHealth = () => get<Health>('/api/admin/health');
export interface AuditFilter {
  /** Objects such as `draw:1042,order:…`; empty for all. */
  objects?: string;
  /** Actions, separated by commas; empty for all. */
  actions?: string;
  /** `operator`, `club`, `system` or one actor such as `operator 1`; empty for all. */
  actor?: string;
  /** First moment in milliseconds; undefined for all. */
  since?: number;
  text?: string;
  limit: number;
  before?: number;
}

export function fetchAuditEntries(filter: AuditFilter) {
  const params = new URLSearchParams({ object: filter.objects ?? '' });
  params.set('limit', String(filter.limit));
  if (filter.actions) params.set('action', filter.actions);
  if (filter.actor) params.set('actor', filter.actor);
  if (filter.since !== undefined) params.set('since', String(filter.since));
  if (filter.text) params.set('q', filter.text);
  if (filter.before !== undefined) params.set('before', String(filter.before));
  return get<AuditPage>(`/api/admin/audit?${params.toString()}`);
}
export const searchOperatorConsole = (query: string) =>
  get<SearchHit[]>(`/api/admin/search?q=${encodeURIComponent(query)}`);

const periodQuery = (from: string, to: string) => {
  const params = new URLSearchParams();
  if (from) params.set('from', from);
  if (to) params.set('to', to);
  return params.size > 0 ? `?${params.toString()}` : '';
};
export const fetchPlatformFees = (from: string, to: string) =>
  get<PlatformFees>(`/api/admin/platform-fees${periodQuery(from, to)}`);
export const downloadFeesReport = (from: string, to: string) =>
  download(`/api/admin/platform-fees-report${periodQuery(from, to)}`, 'platform-fees-report.pdf');
