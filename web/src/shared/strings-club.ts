/**
 * Every text that the club's part of the specification quotes, byte for byte. Separate from
 * `strings.ts`, so that buyers do not load it.
 */

export const CLUB_TEXTS = {
  brand: 'Football Doubles',

  // Texts of login and registration.
  login: 'Login',
  registerClub: 'Register Club',
  joinWaitlist: 'New Club? Join Waitlist',
  invalidCredentials: 'Invalid credentials',
  loginFailed: 'Login failed',
  registrationFailed: 'Registration failed',
  pleaseTryAgain: 'Please try again.',
  waitlistFailed: 'Failed to join waitlist',
  waitlistFailedText: 'Failed to join waitlist. Please try again.',
  clubNameRequired: 'Club name is required',
  contactNameRequired: 'Contact name is required',
  validEmailRequired: 'Valid email is required',
  contactPhoneRequired: 'Contact phone is required',
  validEmailAddressRequired: 'Valid email address is required',
  checkYourEmail: 'Check your email',
  sendAgain: 'Send again',
  backToLogin: 'Back to login',
  resetLinkSent: 'Reset link sent',
  resetLinkSentText: 'If an account exists with this email, a reset link has been sent.',
  failedToSendReset: 'Failed to send reset link',
  invalidResetLink: 'Invalid Reset Link',
  invalidLink: 'Invalid link',
  invalidLinkText: 'This password reset link is invalid or has expired.',
  passwordsDiffer: "Passwords don't match",
  passwordsDifferText: 'Please ensure both password fields match.',
  passwordTooShort: 'Password too short',
  passwordTooShortText: 'Password must be at least 8 characters long.',
  resetTokenRequired: 'Reset token is required',
  passwordMinimum: 'Password must be at least 8 characters',
  failedToReset: 'Failed to reset password',
  resetSuccessful: 'Password reset successful',
  resetComplete: 'Password Reset Complete',
  goToLogin: 'Go to Login',

  // Texts of the dashboard.
  homePage: 'Home Page',
  bundles: 'Bundles',
  createDraw: 'Create Draw',
  logout: 'Logout',
  connectFirst: 'Connect Stripe account first to create draws',
  totalRevenue: 'Total Revenue',
  ticketsSold: 'Tickets Sold',
  clubProfit: 'Club Profit',
  homepageNotSetUp: 'Homepage not set up',
  setUpHomepage: 'Set Up Homepage',
  copyUrl: 'Copy URL',
  viewPage: 'View Page',
  edit: 'Edit',
  clubUrlCopied: 'Club URL copied!',
  clubUrlCopiedText: 'Your club homepage URL has been copied to clipboard',
  noHomepageUrl: 'No homepage URL available',
  settingUp: 'Setting up...',
  gamesFinishedEnter: 'Games have finished - enter results to determine winners',
  active: 'Active',
  awaitingResults: 'Awaiting Results',
  completed: 'Completed',
  archived: 'Archived',
  shareLink: 'Share Link',
  editDraw: 'Edit Draw',
  viewPublic: 'View Public',
  gameAlreadyStarted: 'This draw cannot be edited because the game has already started.',
  details: 'Details',
  enterResults: 'Enter Results',
  showWinners: 'Show Winners',
  hideWinners: 'Hide Winners',
  downloadReportPdf: 'Download Report (PDF)',
  downloadCsv: 'Download Ticket Data (CSV)',
  archiveDraw: 'Archive Draw',
  unarchiveDraw: 'Unarchive Draw',
  archiveFailed: 'Archive operation failed',
  downloadFailed: 'Download Failed',
  downloadFailedText: 'Unable to download the report. Please try again.',
  refreshFailed: 'Refresh Failed',
  platformSetupRequired: 'Stripe Platform Setup Required',
  setupFailed: 'Setup failed',
  error: 'Error',
  decline: 'Decline',
  allow: 'Allow',
  version: '2025-08-29T00:00Z',

  // Texts of the forms that create and edit a draw.
  homeTeamRequired: 'Home team is required',
  awayTeamRequired: 'Away team is required',
  gameDateRequired: 'Game date is required',
  gameTimeRequired: 'Game time is required',
  // Unused, because draws have no venue (decision E-13). The specification still contains the text.
  venueRequired: 'Venue is required',
  timezoneRequired: 'Timezone is required',
  ticketPriceRequired: 'Ticket price is required',
  logInToCreate: 'Please log in to create a draw.',
  failedToCreateDraw: 'Failed to create draw',
  failedToUpdateDraw: 'Failed to update draw',
  updateFailedText: 'There was an error updating your draw. Please try again.',
  notYourDraw: "Draw not found or you don't have permission to edit it.",
  lockedAfterSales:
    'Cannot change price/prize percentage/prize rounding after tickets are sold (N tickets sold)',
  agreementRequired:
    'Agreement Required: Please check the box to agree to the Terms of Service before proceeding',
  agreementFailed: 'Error recording your agreement. Please try again.',

  // Texts of the result page.
  drawNotFound: 'Draw Not Found',
  returnToDashboard: 'Return to Dashboard',
  enterScorers: 'Enter First Try Scorer Numbers',
  noTryDefault: 'No Try/Default',
  submitResults: 'Submit Results',
  missingInformation: 'Missing information',
  selectBothScorers: 'Please select first try scorer for both teams',
  resultsSubmitted: 'Results submitted successfully',
  winnerAfterKickOff: 'The winning ticket is shown after kick-off',
  winnerDetermined: 'Winner determined! {n} winning ticket(s) found.',
  failedToSubmitResults: 'Failed to submit results',
  winnerAnnounced: 'Winner Announced!',
  notProvided: 'Not provided',
  ticketNotSold: 'This ticket was not sold - no winner contact information available',
  notifyWinner: 'Notify Winner',
  winnersNotified: '{sent} out of {total} winners notified',
  failedToNotify: 'Failed to send notifications',
  downloadReport: 'Download Report',
  payoutManagement: 'Payout Management',
  accountNameRequired: 'Account name is required',
  failedToFetchDraw: 'Failed to fetch draw',
  failedToFetchTickets: 'Failed to fetch tickets',

  // Texts of the home page setup.
  logInForPage: 'Please log in to access this page.',
  pageNameCharacters: 'Page name must contain only lowercase letters, numbers, and hyphens',
  slugCharacters: 'Slug must contain only lowercase letters, numbers, and hyphens',
  mustBeUrlOrImage: 'Must be a valid URL or uploaded image',
  mustBeHex: 'Must be a valid hex color',
  fileTooLarge: 'File too large',
  logoTooLarge: 'Logo must be smaller than 2MB. Please choose a smaller image.',
  invalidFileType: 'Invalid file type',
  uploadLogoTypes: 'Please upload a PNG, JPG, or SVG file.',
  homePageUpdated: 'Home page updated successfully',
  failedToUpdateHomePage: 'Failed to update home page',
  uploadFailed: 'Upload failed',
  logoUploaded: 'Logo uploaded',
  urlCopied: 'URL copied',
  defaultTagline:
    'Support our club with Football Doubles - win cash prizes while helping fund our team!',
  clubPageNotFound: 'Club page not found',
  failedToLoadClubPage: 'Failed to load club page',

  // Texts of offers.
  bundleClosed: 'Bundle closed',
  specialNeedsOne: 'A Special must include exactly one game',
  bundleNeedsTwo: 'A Bundle must include at least two games',
  provideNameSlugGame: 'Please provide name, slug, and select at least one game',
  selectTwoToActivate: 'Select at least 2 games to activate this bundle',
  uploadJpgPng: 'Please upload a JPG or PNG image',
  maxThreeMb: 'Max size is 3MB',
  invalidFile: 'Invalid file',
  uploadError: 'Upload error',
  bundleLocked: 'Bundle is locked: This bundle is locked (has sales) and cannot be edited.',
  failedToSaveBundle: 'Failed to create/update bundle',
  failedToArchiveBundle: 'Failed to archive bundle',
  failedToLoadBundles: 'Failed to load bundles',

  // Texts of the payment pages.
  checkingConnection: 'Checking Connection...',
  setupComplete: 'Setup Complete!',
  setupIncomplete: 'Setup Incomplete',
  failedPayments: 'Failed Payments',
  totalAmount: 'Total Amount',
  affectedCustomers: 'Affected Customers',
  refreshAudit: 'Refresh Audit',
  errorLoadingTransactions: 'Error Loading Transactions',

  // Words in requests, and keys in browser storage.
  locked: 'locked',
  userKey: 'user',
} as const;

/** Splits 'Title: rest' into the title and the text of a toast. */
export function splitTitle(text: string): { title: string; text: string } {
  const colon = text.indexOf(': ');
  return colon < 0
    ? { title: text, text: '' }
    : { title: text.slice(0, colon), text: text.slice(colon + 2) };
}

/**
 * Returns 'Cannot change price/prize percentage/prize rounding after tickets are sold (3 tickets
 * sold)', with the actual count (decision E-12).
 */
export const lockedFieldsText = (sold: number): string =>
  CLUB_TEXTS.lockedAfterSales.replace('N tickets', `${sold} tickets`);
