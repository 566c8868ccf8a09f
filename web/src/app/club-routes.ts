/** Addresses of the club's pages. `own` means that the page renders its own header and footer. */

const createDraw = () => import('./routes/club/create-draw-page');
const editDraw = () => import('./routes/club/edit-draw-page');
const homePageSetup = () => import('./routes/club/home-page-setup-page');
const results = () => import('./routes/club/results-page');
const people = () => import('./routes/club/people-page');
const offer = () => import('./routes/club/offer-page');
const connect = () => import('./routes/club/stripe-connect-page');
const claim = () => import('./routes/club/claim-page');

export const CLUB_ROUTES = [
  { path: '/admin/login', load: () => import('./routes/club/login-page'), own: true },
  { path: '/forgot-password', load: () => import('./routes/club/forgot-password-page'), own: true },
  { path: '/reset-password', load: () => import('./routes/club/reset-password-page'), own: true },
  { path: '/verify-email', load: () => import('./routes/club/verify-email-page'), own: true },
  { path: '/admin', load: () => import('./routes/club/admin-page'), own: true },
  { path: '/club/:slug/admin', load: () => import('./routes/club/dashboard-page'), own: true },
  { path: '/admin/create-draw', load: createDraw, own: true },
  { path: '/club/:slug/admin/create-draw', load: createDraw, own: true },
  { path: '/admin/edit-draw/:draw', load: editDraw, own: true },
  { path: '/admin/draws/:draw', load: editDraw, own: true },
  { path: '/club/:slug/admin/edit-draw/:draw', load: editDraw, own: true },
  { path: '/admin/results/:draw', load: results, own: true },
  { path: '/club/:slug/admin/results/:draw', load: results, own: true },
  { path: '/admin/home-page-setup', load: homePageSetup, own: true },
  { path: '/club/:slug/admin/home-page-setup', load: homePageSetup, own: true },
  { path: '/club/:slug/admin/bundles', load: () => import('./routes/club/offers-page'), own: true },
  { path: '/club/:slug/admin/bundles/new', load: offer, own: true },
  { path: '/club/:slug/admin/bundles/:offer', load: offer, own: true },
  { path: '/admin/people', load: people, own: true },
  { path: '/club/:slug/admin/people', load: people, own: true },
  { path: '/admin/stripe-connect/complete', load: connect, own: true },
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
  { path: '/claim', load: claim, own: true },
  { path: '/claim/:token', load: claim, own: true },
];
