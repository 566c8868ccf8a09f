import { expect, test } from 'vitest';
import { cacheStrategy, isUserScreen, cacheKeyOf } from './cache-strategy';

const SITE_ORIGIN = 'https://doubles.example';
const strategyFor = (path: string, method = 'GET') =>
  cacheStrategy({ method, url: SITE_ORIGIN + path }, SITE_ORIGIN);

test('built file with a digest comes from the cache, others do not', () => {
  for (const path of [
    '/assets/web.ff585466.js',
    '/assets/barlow-condensed-600-subset.8959b8b1.woff2',
    '/assets/crossing.9f842d09.svg',
  ])
    expect(strategyFor(path), path).toBe('cache first');
  for (const path of [
    '/sw.js',
    '/manifest.webmanifest',
    '/widgets/live.js',
    '/assets/index.html',
    '/sandbox/stripe.js',
  ])
    expect(strategyFor(path), path).toBe('network only');
});

test('pages that are the same for every visitor are cached', () => {
  for (const path of [
    '/',
    '/draw/1042',
    '/draw/1042/?quantity=2',
    '/club/sharks',
    '/CLUB/sharks/specials/finals',
    '/club/sharks/offer/finals?src=widget',
  ])
    expect(strategyFor(path), path).toBe('network first');
});

test('public draw responses are cached, tickets and queries are not', () => {
  for (const path of [
    '/api/draws/active',
    '/api/draws/awaiting-results',
    '/api/draws/completed',
    '/api/draws/1042',
  ])
    expect(strategyFor(path), path).toBe('network first');
  for (const path of [
    '/api/draws/1042/tickets',
    '/api/draws/1042/available-tickets',
    '/api/draws/awaiting-results?clubId=1',
    '/api/draws/1042/winners',
    '/api/config',
    '/api/meta/draw/1042',
  ])
    expect(strategyFor(path), path).toBe('network only');
});

test('nothing of a buyer, a login, a club or the operator is cached', () => {
  const own = [
    '/my',
    '/my/0123456789abcdef',
    '/claim',
    '/claim/x',
    '/thank-you',
    '/checkout/1042',
    '/checkout?drawId=1042',
    '/cart/checkout',
    '/cart-checkout-clean',
    '/apple-pay-redirect',
    '/debugcart',
    '/verify/1042',
  ];
  const desks = [
    '/admin',
    '/admin/login',
    '/club/sharks/admin',
    '/club/sharks/admin/bundles',
    '/club/sharks/admin/people',
    '/super-admin',
    '/reset-password',
    '/verify-email',
  ];
  const calls = [
    '/api/orders/0123',
    '/api/admin/whoami',
    '/api/clubs/slug/sharks',
    '/api/clubs/1/stats',
    '/api/reservations/x',
    '/ws',
    '/uploads/a.png',
    '/og/site',
  ];
  const boards = ['/draw/1042/display', '/club/sharks/specials/finals/display', '/w/draw:1042'];
  for (const path of [...own, ...desks, ...calls, ...boards])
    expect(strategyFor(path), path).toBe('network only');
});

test('only GET requests to this site are handled', () => {
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'])
    expect(strategyFor('/draw/1042', method), method).toBe('network only');
  expect(cacheStrategy({ method: 'GET', url: 'https://js.stripe.com/' }, SITE_ORIGIN)).toBe(
    'network only',
  );
});

test('cache key is the path, because a link may carry a secret', () => {
  expect(cacheKeyOf(`${SITE_ORIGIN}/draw/1042?client_secret=x#y`)).toBe('/draw/1042');
});

test('screens get the offline page, boards and calls fail', () => {
  for (const path of ['/', '/my/0123', '/checkout/1042', '/admin/login', '/verify/1042'])
    expect(isUserScreen(SITE_ORIGIN + path), path).toBe(true);
  for (const path of [
    '/draw/1042/display',
    '/api/draws/1/report',
    '/sandbox/mailbox',
    '/w/draw:1042',
    '/uploads/a.png',
  ])
    expect(isUserScreen(SITE_ORIGIN + path), path).toBe(false);
});
