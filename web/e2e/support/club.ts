/** A demo club's sign-in, draws and screens for browser tests. */
import { expect, type Page } from '@playwright/test';
import type { Screen } from './screens';

export interface DemoClub {
  id: number;
  name: string;
  slug: string;
}

const DEMO_CLUB_PASSWORD = 'demo-password';
const originHeader = (baseURL: string) => ({ origin: new URL(baseURL).origin });

export async function fetchDemoClub(page: Page, index = 0): Promise<DemoClub> {
  const clubs = (await (await page.request.get('/api/clubs/public-list')).json()) as DemoClub[];
  const club = [...clubs].sort((one, other) => one.id - other.id)[index];
  expect(club, 'a club of the demo').toBeDefined();
  return club as DemoClub;
}

/** Signs the browser in by the same API call as the login page. */
export async function signIn(page: Page, baseURL: string, club: DemoClub): Promise<void> {
  const answer = await page.request.post('/api/clubs/login', {
    headers: originHeader(baseURL),
    data: { email: `${club.slug}@demo.test`, password: DEMO_CLUB_PASSWORD },
  });
  expect(answer.ok(), await answer.text()).toBe(true);
}

let drawsCreated = 0;

/**
 * Creates a draw on sale whose game is in three days, by the API call of the create form. Returns
 * its draw number.
 */
export async function createClubDraw(page: Page, baseURL: string, club: DemoClub): Promise<number> {
  const headers = originHeader(baseURL);
  const accepted = await page.request.post('/api/terms/accept', {
    headers,
    data: { clubId: club.id, ipAddress: null, userAgent: 'test', termsVersion: '1.0' },
  });
  expect(accepted.ok(), await accepted.text()).toBe(true);
  const gameDate = new Date(Date.now() + 3 * 86_400_000).toISOString();
  const draw = {
    clubId: club.id,
    homeTeam: club.name,
    awayTeam: `Visitors ${Date.now() % 100_000}-${++drawsCreated}`,
    gameDate,
    timezone: 'Australia/Brisbane',
    contactName: 'Kim',
    contactPhone: '0400 000 000',
    ticketPrice: '5.00',
    prizePercentage: 50,
    passStripeFees: false,
    roundUpPrize: true,
  };
  const answer = await page.request.post('/api/draws', { headers, data: draw });
  expect(answer.ok(), await answer.text()).toBe(true);
  return ((await answer.json()) as { drawNumber: number }).drawNumber;
}

interface ClubDraw {
  drawNumber: number;
  status: string;
  gameDate: string;
}

/**
 * Finds a draw of the club for each state that its screens need. Fails if the demo lacks one,
 * because a screen would go untested.
 */
export async function findClubDraws(
  page: Page,
  club: DemoClub,
): Promise<{ coming: number; awaiting: number; completed: number }> {
  const draws = (await (
    await page.request.get(`/api/clubs/${club.id}/draws`)
  ).json()) as ClubDraw[];
  const one = (state: string, fits: (draw: ClubDraw) => boolean): number => {
    const found = draws.find(fits);
    expect(found, `a draw of ${club.name} that is ${state}`).toBeDefined();
    return (found as ClubDraw).drawNumber;
  };
  return {
    coming: one(
      'on sale',
      (draw) => draw.status === 'active' && Date.parse(draw.gameDate) > Date.now() + 600_000,
    ),
    awaiting: one(
      'waiting for its result',
      (draw) =>
        draw.status === 'closed' ||
        (draw.status === 'active' && Date.parse(draw.gameDate) < Date.now()),
    ),
    completed: one('completed', (draw) => draw.status === 'completed'),
  };
}

/** Returns the club screens that an address alone opens, for draws of the running server. */
export async function clubScreens(page: Page, club: DemoClub): Promise<Screen[]> {
  const { coming, awaiting, completed } = await findClubDraws(page, club);
  const admin = `/club/${club.slug}/admin`;
  return [
    { name: 'club-dashboard', path: admin },
    { name: 'club-create-draw', path: `${admin}/create-draw` },
    { name: 'club-edit-draw', path: `${admin}/edit-draw/${coming}` },
    { name: 'club-edit-draw-alias', path: `/admin/draws/${coming}` },
    { name: 'club-edit-refused', path: `/admin/edit-draw/${completed}` },
    { name: 'club-results', path: `${admin}/results/${awaiting}` },
    { name: 'club-winner', path: `${admin}/results/${completed}` },
    { name: 'club-results-missing', path: `${admin}/results/999999` },
    { name: 'club-home-page-setup', path: '/admin/home-page-setup' },
    { name: 'club-offers', path: `${admin}/bundles` },
    { name: 'club-offer-new', path: `${admin}/bundles/new` },
    { name: 'club-connect-return', path: '/admin/stripe-connect/complete' },
    { name: 'club-payment-monitoring', path: '/admin/payment-monitoring' },
    { name: 'club-stripe-debug', path: '/admin/stripe-debug' },
  ];
}

/** Club pages as a visitor sees them who is not signed in. */
export const SIGNED_OUT_SCREENS: readonly Screen[] = [
  { name: 'door-login', path: '/admin/login' },
  { name: 'door-forgot', path: '/forgot-password' },
  { name: 'door-reset', path: '/reset-password?token=any' },
  { name: 'door-reset-invalid', path: '/reset-password' },
  { name: 'door-claim-unknown', path: '/claim#nothing' },
  { name: 'door-verify-unknown', path: '/verify-email?token=nothing' },
  { name: 'door-home-page-guest', path: '/admin/home-page-setup' },
  { name: 'door-stripe-debug-guest', path: '/admin/stripe-debug' },
];

/** Waits until the screen has a heading and no loading placeholder. */
export async function waitUntilLoaded(page: Page): Promise<void> {
  await expect(page.locator('main h1').first()).toBeAttached();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
  await expect(page.locator('main .skeleton')).toHaveCount(0);
}
