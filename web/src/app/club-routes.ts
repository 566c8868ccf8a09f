/** Routes of the club's pages. `own` means that the page renders its own header and footer. */

const loadCreateDrawPage = () => import('./routes/club/create-draw-page');
const loadEditDrawPage = () => import('./routes/club/edit-draw-page');
const loadHomePageSetupPage = () => import('./routes/club/home-page-setup-page');
const loadResultsPage = () => import('./routes/club/results-page');
const loadPeoplePage = () => import('./routes/club/people-page');
const loadOfferPage = () => import('./routes/club/offer-page');
const loadStripeConnectPage = () => import('./routes/club/stripe-connect-page');
const loadClaimPage = () => import('./routes/club/claim-page');

export const CLUB_ROUTES = [
  { path: '/admin/login', load: () => import('./routes/club/login-page'), own: true },
  { path: '/forgot-password', load: () => import('./routes/club/forgot-password-page'), own: true },
  { path: '/reset-password', load: () => import('./routes/club/reset-password-page'), own: true },
  { path: '/verify-email', load: () => import('./routes/club/verify-email-page'), own: true },
  { path: '/admin', load: () => import('./routes/club/admin-page'), own: true },
  { path: '/club/:slug/admin', load: () => import('./routes/club/dashboard-page'), own: true },
  { path: '/admin/create-draw', load: loadCreateDrawPage, own: true },
  { path: '/club/:slug/admin/create-draw', load: loadCreateDrawPage, own: true },
  { path: '/admin/edit-draw/:draw', load: loadEditDrawPage, own: true },
  { path: '/admin/draws/:draw', load: loadEditDrawPage, own: true },
  { path: '/club/:slug/admin/edit-draw/:draw', load: loadEditDrawPage, own: true },
  { path: '/admin/results/:draw', load: loadResultsPage, own: true },
  { path: '/club/:slug/admin/results/:draw', load: loadResultsPage, own: true },
  { path: '/admin/home-page-setup', load: loadHomePageSetupPage, own: true },
  { path: '/club/:slug/admin/home-page-setup', load: loadHomePageSetupPage, own: true },
  { path: '/club/:slug/admin/bundles', load: () => import('./routes/club/offers-page'), own: true },
  { path: '/club/:slug/admin/bundles/new', load: loadOfferPage, own: true },
  { path: '/club/:slug/admin/bundles/:offer', load: loadOfferPage, own: true },
  { path: '/admin/people', load: loadPeoplePage, own: true },
  { path: '/club/:slug/admin/people', load: loadPeoplePage, own: true },
  { path: '/club/:slug/admin/buyers', load: () => import('./routes/club/buyers-page'), own: true },
  {
    path: '/club/:slug/admin/activity',
    load: () => import('./routes/club/activity-page'),
    own: true,
  },
  { path: '/admin/stripe-connect/complete', load: loadStripeConnectPage, own: true },
  {
    path: '/admin/stripe-connect/refresh',
    load: () => import('./routes/club/stripe-refresh-page'),
    own: true,
  },
  {
    path: '/admin/payment-monitoring',
    load: () => import('./routes/club/payment-monitoring-page'),
    own: true,
  },
  { path: '/admin/stripe-debug', load: () => import('./routes/club/stripe-debug-page'), own: true },
  { path: '/claim', load: loadClaimPage, own: true },
  { path: '/claim/:token', load: loadClaimPage, own: true },
];
