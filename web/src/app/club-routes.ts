/** The addresses of a club's side, each with its page. `own`: the page brings its own head and foot. */


export const CLUB_ROUTES = [
  { path: '/admin/login', load: () => import('./routes/club/login-page'), own: true },
  { path: '/forgot-password', load: () => import('./routes/club/forgot-password-page'), own: true },
  { path: '/reset-password', load: () => import('./routes/club/reset-password-page'), own: true },
  { path: '/verify-email', load: () => import('./routes/club/verify-email-page'), own: true },
];
