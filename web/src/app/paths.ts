/**
 * Paths and aliases of the buyer, board and operator pages; `club-routes.ts` has the club's paths.
 * `addresses.test.ts` compares both with the server's table (`render/page_address.rs`).
 */

export const PAGE_PATHS = {
  landing: '/',
  draw: '/draw/:draw',
  verifyAlias: '/draw/:draw/verify',
  display: '/draw/:draw/display',
  checkout: '/checkout/:draw',
  checkoutByQuery: '/checkout',
  cartCheckout: '/cart/checkout',
  cartCheckoutClean: '/cart-checkout-clean',
  thankYou: '/thank-you',
  demoThankYou: '/demo-thank-you',
  applePayRedirect: '/apple-pay-redirect',
  debugCart: '/debugcart',
  privacy: '/privacy',
  askForTickets: '/my',
  myTickets: '/my/:token',
  verify: '/verify/:draw',
  club: '/club/:slug',
  gallery: '/sandbox/gallery',
  superAdmin: '/super-admin',
  clubUnnamed: '/club',
  offer: '/club/:slug/specials/:bundle',
  offerAlias: '/club/:slug/offer/:bundle',
  offerDisplay: '/club/:slug/specials/:bundle/display',
  offerDisplayAlias: '/club/:slug/offer/:bundle/display',
  bundleDisplay: '/bundle/:slug/:bundle/display',
} as const;
