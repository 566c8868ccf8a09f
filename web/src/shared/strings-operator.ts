/**
 * Every text that the operator's part of the specification quotes, byte for byte. Separate from
 * `strings.ts`, so that buyers do not load it.
 */

export const OPERATOR_TEXTS = {
  brand: 'Football Doubles',
  superAdmin: 'Super Admin',
  superAdminDashed: 'super-admin',

  // Texts of login and logout.
  checking: 'Checking authentication...',
  liveSystem: 'Live System',
  loggedOut: 'Logged out',

  // Titles of the ten sections, in their order (specification lines C:28-38).
  overview: 'Overview',
  clubManagement: 'Club Management',
  archivedClubs: 'Archived Clubs',
  waitlist: 'Waitlist',
  drawManagement: 'Draw Management',
  paymentMonitor: 'Payment Monitor',
  orphanedTickets: 'Orphaned Tickets',
  stripeTransactions: 'Stripe Transactions',
  systemControls: 'System Controls',
  platformFeesReport: 'Platform Fees Report',

  // Texts of the club sections.
  connected: 'Connected',
  setupPending: 'Setup Pending',
  viewDetails: 'View Details',
  restore: 'Restore',
  noArchivedClubs: 'No archived clubs.',

  // Texts of the draw section.
  dateUnknown: 'TBD',
  serialUnknown: 'N/A',
  viewTickets: 'View Tickets',
  downloadReport: 'Download Report',
  undoResults: 'Undo Results',
  moreTickets: '+N more',
  undoFailed: 'Failed to Undo Results',
  undoFailedText: 'Unable to undo draw results. Please try again.',
  downloadFailed: 'Download Failed',
  downloadFailedText: 'Unable to download the report. Please try again.',
  feesDownloadFailedText: 'Unable to download the platform fees report. Please try again.',

  // Texts of the payment monitor.
  total: 'Total',
  unresolved: 'Unresolved',
  resolved: 'Resolved',
  successRate: 'Success Rate',
  refresh: 'Refresh',
  runCheck: 'Run Check',
  scanHistory: 'Scan 24h History',
  details: 'Details',
  needsAction: 'Needs Action',
  markResolved: 'Mark Resolved',
  guest: 'Guest',
  missingTicket: 'Missing Ticket',
  duplicatePayment: 'Duplicate Payment',
  failedAllocation: 'Failed Allocation',
  amountMismatch: 'Amount Mismatch',
  orphanedTicket: 'Orphaned Ticket',
  resolveFailed: 'Failed to resolve anomaly',
  checkFailed: 'Check failed',
  scanFailed: 'Historical scan failed',
  customerNameRequired: 'Customer name is required',
  validEmailRequired: 'Valid email is required',
  validPhoneRequired: 'Valid phone number is required',

  // Texts about orphaned tickets: paid tickets whose buyer left no e-mail address.
  missingInformation: 'Missing information: Please provide customer name and email',
  recoveryFailed: 'Recovery failed',

  // Texts of the transaction section.
  transactionsFailed: 'Error Loading Stripe Transactions',
  transactionsFailedDebug: 'Error Loading Transactions',
  refreshAudit: 'Refresh Audit',

  // Texts of the system controls.
  downloadLogs: 'Download Logs',
  refreshSettings: 'Refresh Settings',
  closeExpired: 'close expired draws',
  maintenanceMessage:
    "System is doing some maintenance. We won't be long, check back in a couple of minutes.",
  error: 'Error',
  maintenanceFailed: 'Failed to update maintenance mode',
  closeExpiredFailed: 'Failed to close expired draws',
  refreshFailed: 'Refresh Failed',
  updateFailed: 'Update Failed',
  registrationFailed: 'Failed to update club registration setting.',
  settingFailed: 'Failed to load setting',
  menuNotCreated: 'Error creating menu',
  menuNotUpdated: 'Error updating menu',
  waitlistFailed: 'Failed to join waitlist. Please try again.',

  // Words in requests to the server.
  test: 'test',
  on: 'true',
  off: 'false',
} as const;

/** Returns '+N more' with the number filled in. */
export const moreCountText = (count: number): string =>
  OPERATOR_TEXTS.moreTickets.replace('N', String(count));
