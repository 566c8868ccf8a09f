/**
 * Maps URL paths to pages. Each page is its own bundle, which loads when the user opens the page.
 */
import type { ComponentType } from 'react';
import type { PageProps } from './page-props';
import { CLUB_ROUTES } from './club-routes';
import { PAGE_PATHS } from './paths';

type PageComponent = ComponentType<PageProps>;

export interface Route {
  path: string;
  /** Whether the page is a board, which has no header, footer, toasts or cart. */
  bare?: boolean;
  /** Whether the page renders its own header and footer, as club and operator pages do. */
  own?: boolean;
  load: () => Promise<{ Page: PageComponent }>;
  /** The page's component once it has loaded. The next visit then renders without waiting. */
  loaded?: PageComponent;
}

const loadDrawPage = () => import('./routes/buyer/draw-page');
const loadVerifyPage = () => import('./routes/buyer/verify-page');
const loadCheckoutPage = () => import('./routes/buyer/checkout-page');
const loadClubPage = () => import('./routes/buyer/club-page');
const loadOfferPage = () => import('./routes/buyer/special-offer-page');
const loadOfferDisplayPage = () => import('./routes/board/offer-display-page');
const loadCartCheckoutPage = () => import('./routes/buyer/cart-checkout-page');

export const ROUTES: readonly Route[] = [
  { path: PAGE_PATHS.landing, load: () => import('./routes/buyer/landing-page') },
  { path: PAGE_PATHS.draw, load: loadDrawPage },
  { path: PAGE_PATHS.verifyAlias, load: loadVerifyPage },
  { path: PAGE_PATHS.display, load: () => import('./routes/board/display-page'), bare: true },
  { path: PAGE_PATHS.checkout, load: loadCheckoutPage },
  { path: PAGE_PATHS.checkoutByQuery, load: () => import('./routes/buyer/checkout-by-query-page') },
  { path: PAGE_PATHS.cartCheckout, load: loadCartCheckoutPage },
  { path: PAGE_PATHS.cartCheckoutClean, load: loadCartCheckoutPage },
  { path: PAGE_PATHS.thankYou, load: () => import('./routes/buyer/thank-you-page') },
  { path: PAGE_PATHS.demoThankYou, load: () => import('./routes/buyer/demo-thank-you-page') },
  {
    path: PAGE_PATHS.applePayRedirect,
    load: () => import('./routes/buyer/apple-pay-redirect-page'),
  },
  { path: PAGE_PATHS.debugCart, load: () => import('./routes/buyer/debug-cart-page') },
  { path: PAGE_PATHS.privacy, load: () => import('./routes/buyer/privacy-page') },
  { path: PAGE_PATHS.askForTickets, load: () => import('./routes/buyer/ask-for-tickets-page') },
  { path: PAGE_PATHS.myTickets, load: () => import('./routes/buyer/my-tickets-page') },
  { path: PAGE_PATHS.verify, load: loadVerifyPage },
  { path: PAGE_PATHS.club, load: loadClubPage },
  { path: PAGE_PATHS.clubUnnamed, load: loadClubPage },
  { path: PAGE_PATHS.offer, load: loadOfferPage },
  { path: PAGE_PATHS.offerAlias, load: loadOfferPage },
  { path: PAGE_PATHS.offerDisplay, load: loadOfferDisplayPage, bare: true },
  { path: PAGE_PATHS.offerDisplayAlias, load: loadOfferDisplayPage, bare: true },
  { path: PAGE_PATHS.bundleDisplay, load: loadOfferDisplayPage, bare: true },
  { path: PAGE_PATHS.gallery, load: () => import('./routes/demo/gallery-page') },
  ...CLUB_ROUTES,
  {
    path: PAGE_PATHS.superAdmin,
    load: () => import('./routes/operator/super-admin-page'),
    own: true,
  },
];

const NOT_FOUND_ROUTE: Route = { path: '*', load: () => import('./routes/not-found-page') };

export interface MatchedRoute {
  route: Route;
  params: Readonly<Record<string, string>>;
}

/**
 * Returns the variables of a path, or null if the path does not match: `/draw/:draw` against
 * `/draw/1042` gives `{ draw: '1042' }`.
 */
function paramsOf(pattern: string, path: string): Record<string, string> | null {
  const patternParts = pattern.split('/');
  const pathParts = path.split('/');
  if (patternParts.length !== pathParts.length) return null;
  const params: Record<string, string> = {};
  for (const [index, part] of patternParts.entries()) {
    const value = pathParts[index] ?? '';
    if (part.startsWith(':') && value !== '') params[part.slice(1)] = decodePathPart(value);
    else if (part.toLowerCase() !== value.toLowerCase()) return null;
  }
  return params;
}

function decodePathPart(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/**
 * Returns the page and the variables of a path. Ignores trailing slashes and the case of fixed
 * words.
 */
export function matchRoute(pathname: string): MatchedRoute {
  const path = pathname.length > 1 ? pathname.replace(/\/+$/, '') : pathname;
  for (const route of ROUTES) {
    const params = paramsOf(route.path, path);
    if (params) return { route, params };
  }
  return { route: NOT_FOUND_ROUTE, params: {} };
}

export async function loadPage(route: Route): Promise<PageComponent> {
  route.loaded ??= (await route.load()).Page;
  return route.loaded;
}
