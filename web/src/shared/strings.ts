/**
 * Every text that the public part of the specification quotes, byte for byte. Placeholders keep
 * their specified spelling.
 */

export const PUBLIC_TEXTS = {
  brand: 'Football Doubles',
  defaultTagline:
    'Support our club with Football Doubles - win cash prizes while helping fund our team!',
  fallbackClub: 'Football Club',
  fallbackBuyer: 'Ticket Holder',

  // Texts of the landing page and of draw cards.
  clubLogin: 'Club Login',
  startFirstDraw: 'Start Your First Draw',
  viewLiveDraws: 'View Live Draws',
  howItWorks: 'How Football Doubles Works',
  noActiveDraws: 'No active draws at the moment.',
  checkBackSoon: 'Check back soon for new fundraising opportunities!',
  awaitingResults: 'Awaiting Results',
  awaitingResultsLower: 'Awaiting results',
  resultsPending: 'Results Pending',
  recentResults: 'Recent Results',
  noSetupFees: 'No setup fees • Cancel anytime • Full support included',
  buyNow: 'Buy Now',
  drawClosed: 'Draw Closed',
  gameHasStarted: 'Game has started',
  gameStartedCard: 'Game Started',
  gameStarted: 'Game started',
  soldOut: 'Sold Out',
  soldOutPanel: 'Sold Out!',
  allTicketsPurchased: 'All tickets purchased',
  completedCaps: 'COMPLETED',
  soldOf169: 'sold/169',
  winningPair: '#home & #away',

  // Texts of the draw page.
  drawNotFound: 'Draw Not Found',
  drawNotFoundText: "The draw you're looking for doesn't exist or may have been removed.",
  drawCompleted: 'Draw Completed',
  drawCompletedText: 'This draw has completed and the winner has been announced.',
  drawClosedText: 'This draw has closed as the game has started. No more tickets can be purchased.',
  soldOutText: 'All tickets for this draw have been sold. The draw will close soon.',
  needHelp: 'Need Help',
  needHelpAsked: 'Need Help?',

  // Texts of the purchase form.
  purchaseTickets: 'Purchase Tickets',
  purchaseTicketsTotal: 'Purchase Tickets - $total',
  paymentProcessingFees: 'Payment processing fees',
  overEighteenDraw: 'I confirm that I am over 18 years of age',
  overEighteenCheckout: 'I am over 18 years old',
  overEighteenCart: 'I confirm that I am 18 years or older',
  orPayWithCard: 'Or pay with card',
  payWithApplePay: 'Pay with Apple Pay',
  payWithGooglePay: 'Pay with Google Pay',
  processing: 'Processing...',
  settingUpPayment: 'Setting up Payment...',
  processingPayment: 'Processing Payment...',
  processingTickets: 'Processing your tickets…',
  termsOfSale: 'Terms of Sale',
  nameRequired: 'Full name is required',
  emailRequired: 'Email is required',
  phoneRequired: 'Phone number is required',
  ageRequired: 'Please confirm you are over 18 years old',
  termsRequired: 'Please accept the terms and conditions',
  serverAgeRequired: 'You must be over 18 to purchase tickets',
  serverTermsRequired: 'You must agree to the terms and conditions',
  missingConfirmation:
    'Missing confirmation: Please confirm your age and accept the terms before proceeding.',

  // Texts of the two-step checkout.
  returnHome: 'Return Home',
  processingFee: 'Processing Fee',
  backToDraw: 'Back to Draw',
  continueToPayment: 'Continue to Payment',
  changeDetails: 'Change Details',
  completeConfirmation: 'Complete confirmation above first',
  confirmationRequired: 'Confirmation Required',
  confirmationRequiredText: 'Please confirm your age and agree to terms before proceeding.',

  // Texts of payment outcomes.
  purchaseSuccessful: 'Purchase Successful',
  checkEmail: 'Check your email for confirmation',
  purchaseSuccessfulLower: 'Purchase successful!',
  purchasedCount: "You've purchased {n} ticket(s). Check your email for details.",
  failedToCreateIntent: 'Failed to create payment intent',
  failedToCreateCartIntent: 'Failed to create cart payment intent',
  failedToInitialize: 'Failed to initialize payment',
  setupFailed: 'Payment Setup Failed: Could not set up payment. Please try again.',
  paymentNotReady: 'Payment Error: Payment system not ready. Please try again.',
  paymentFailedTitle: 'Payment Failed',
  paymentFailedLower: 'Payment failed',
  paymentFailedText: 'There was an error processing your payment.',
  purchaseFailed: 'Purchase Failed: There was an error completing your purchase. Please try again.',
  walletFailed: 'Wallet payment failed. Please try again.',
  walletFailedStatus: 'Wallet payment failed ({status})',
  setupInitializing:
    'Payment Setup Error: Payment system is initializing. Please wait a moment and try again.',
  systemNotReady:
    'Payment System Error: Payment system is not ready. Please refresh the page and try again.',
  paymentError: 'Payment Error',
  paymentErrorText: 'Payment could not be processed. Please try again.',
  paymentIncomplete: 'Payment Incomplete',
  paymentStatus: 'Payment status: {status}. Please contact support.',
  formValidationError: 'Form Validation Error',
  formValidationErrorText: 'Please check that all required fields are completed correctly.',
  incompleteDetails: 'Incomplete Payment Details',
  incompleteDetailsText: 'Please complete all payment information before proceeding.',
  processingError: 'Payment Processing Error',
  processingErrorText: 'Error: {message}. Please try again.',
  systemNotReadyTitle: 'Payment System Not Ready',
  waitAMoment: 'Please wait a moment and try again.',
  applePayUnavailable: 'Apple Pay Unavailable',
  applePayUnavailableText: 'Apple Pay is not available on this device. Please use card payment.',
  walletNotProcessed: 'Wallet payment could not be processed.',
  walletError: 'Wallet Payment Error',
  walletErrorText: 'Could not initialize wallet payment.',
  setupError: 'Payment Setup Error',
  setupErrorText: 'Unable to initialize payment. Please refresh the page and try again.',
  validationFailed: 'Purchase Validation Failed',
  validationFailedText: 'Please check your details and try again.',
  noLongerAvailable:
    'Tickets No Longer Available: Only N tickets remaining. Please adjust your selection.',
  cartCardFailedText: 'Please check your card details or try another card.',
  applePayError: 'Apple Pay Error',
  paymentCancelled: 'Payment Cancelled',
  invalidApplePay: 'Invalid Apple Pay Request',
  backToCheckout: 'Back to Checkout',
  succeeded: 'succeeded',

  // Texts of the thank-you page.
  returnToClub: 'Return to {club} Page',
  browseOtherClubs: 'Browse Other Clubs',
  resendEmail: 'Resend email',
  resendNotYet: 'Could not locate your payment reference yet. Please try again shortly.',
  resendFailed: 'Resend failed',
  tryLater: 'Please try again later.',

  // Texts about sharing a draw.
  copied: 'Copied to clipboard!',
  copiedText: 'Share link and details have been copied. Paste in your messaging app.',
  linkCopied: 'Link copied!',
  linkCopiedText: 'Draw link has been copied to clipboard.',
  unableToShare: 'Unable to share',
  unableToShareText: 'Please copy the URL manually to share this draw.',

  // Texts of the cart.
  loadingCart: 'Loading your cart...',
  reservationExpiredPage: 'Reservation Expired',
  reservationExpired: 'Reservation expired',
  sixtySeconds: 'Secure checkout with 60-second reservation',
  cartBadgeMax: '99+',

  // Texts of club pages and offers.
  viewCurrentDraws: 'View Current Draws',
  shareClub: 'Share Club',
  clubAdminLogin: 'Club Admin Login',
  noActiveRightNow: 'No active draws right now',
  gamesFinished: 'Games Finished - Results Pending',
  comingSoon: 'Coming Soon',
  notYourClub: 'Not Your Club?',
  invalidClubPage: 'Invalid Club Page',
  clubPageNotFound: 'Club page not found',
  failedToLoadClubPage: 'Failed to load club page',
  failedToLoadClubMeta: 'Failed to load club meta',
  failedToLoadBundles: 'Failed to load bundles',
  bundleClosed: 'Bundle closed',
  offerNotFound: 'Special Offer Not Found',
  fromX: 'From $x',

  // Texts that every screen may show.
  failedToLoadDraws: 'Failed to load draws',
  failedToFetchDraw: 'Failed to fetch draw',
  failedToFetchTickets: 'Failed to fetch tickets',
  pageNotFound: 'Page Not Found',
  somethingWentWrong: 'Something went wrong',
  reloadPage: 'Reload Page',
  maintenance: 'System Maintenance in Progress',
  maintenanceText:
    "We're doing some maintenance. We won't be long, check back in a couple of minutes.",

  // Words in responses, and keys in browser storage.
  scheduled: 'scheduled',
  cartKey: 'football_doubles_cart',
  summaryKey: 'purchaseData',
  userKey: 'user',
  consentKey: 'marketing_consent',
} as const;

/**
 * Replaces placeholders: `fillPlaceholders('Payment status: {status}.', { status: 'x' })`. A
 * placeholder without a value stays, so that tests find it.
 */
export function fillPlaceholders(
  template: string,
  values: Record<string, string | number>,
): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => String(values[name] ?? whole));
}

/** Returns 'Only N tickets remaining' with the number filled in. */
export const onlyRemainingText = (count: number): string =>
  PUBLIC_TEXTS.noLongerAvailable.replace('N tickets', `${count} tickets`);

/** Returns the button's text, such as 'Purchase Tickets - $10.47'. */
export const purchaseButtonText = (total: string): string =>
  PUBLIC_TEXTS.purchaseTicketsTotal.replace('$total', () => total);

/** Returns the winning pair as '#7 & #9'. */
export const winningPairText = (home: number, away: number): string =>
  PUBLIC_TEXTS.winningPair.replace('home', String(home)).replace('away', String(away));

/** Returns 'From $x' with the price filled in. */
export const fromPriceText = (price: string): string =>
  PUBLIC_TEXTS.fromX.replace('$x', () => price);
