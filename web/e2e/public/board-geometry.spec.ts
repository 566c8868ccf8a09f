import { expect, test, type Page } from '@playwright/test';
import { BOARD_SIZES, boardDefects, type BoardSize } from '../support/board-geometry';
import { findDrawWithTickets } from '../support/draws';
import { makeStubOffer, serveOffer, type StubOffer } from '../support/offers';
import { changeDrawResponse, changeResponse, stubResponse } from '../support/stubs';

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

const LONG_NAMES = {
  homeTeam: 'Western Suburbs District Rosellas',
  awayTeam: 'Northern Peninsula Area Crocodiles',
  league: 'Far North Queensland District Rugby League',
  clubName: 'Western Suburbs District Rosellas',
};
const ON_SALE = {
  status: 'active',
  opensAt: null,
  gameDate: inHours(300),
  ticketsSold: 114,
  ticketsHeld: 0,
  ticketsAvailable: 55,
  clubSelling: true,
  currentPrize: '570.00',
  maxPrize: '845.00',
  homeFirstTryScorer: null,
  awayFirstTryScorer: null,
};
const SOLD_OUT = { ...ON_SALE, ticketsSold: 169, ticketsAvailable: 0 };
const RESULT = {
  ...ON_SALE,
  status: 'completed',
  gameDate: inHours(-3),
  homeFirstTryScorer: 9,
  awayFirstTryScorer: 13,
  winningTicketSerial: 'FD-1001-088',
  winningTicketSold: true,
};

/** Every state of a draw, as the server answers it. */
const STATES: Record<string, Record<string, unknown>> = {
  scheduled: {
    ...ON_SALE,
    opensAt: inHours(30),
    ticketsSold: 0,
    ticketsAvailable: 169,
    currentPrize: '0.00',
  },
  'on sale': ON_SALE,
  'on sale for a large prize': { ...ON_SALE, currentPrize: '112430.00', maxPrize: '250000.00' },
  'nearly sold out in the last ten minutes': {
    ...ON_SALE,
    gameDate: inHours(0.12),
    ticketsSold: 160,
    ticketsAvailable: 9,
  },
  'sold out': SOLD_OUT,
  'reserved to the last': { ...SOLD_OUT, ticketsSold: 160, ticketsHeld: 9 },
  'not on sale': { ...ON_SALE, clubSelling: false },
  closed: { ...ON_SALE, gameDate: inHours(-1) },
  'result sold': RESULT,
  'result unsold': { ...RESULT, winningTicketSold: false },
  cancelled: { ...ON_SALE, status: 'cancelled' },
};

async function openBoard(page: Page, number: number, more: Record<string, unknown>, query = '') {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await changeDrawResponse(page, number, more);
  await stubResponse(
    page,
    `/api/draws/${number}/tickets`,
    Array.from({ length: 169 }, (_, cell) => ({
      sold: cell % 3 !== 0,
      homeNumber: Math.floor(cell / 13) + 1,
      awayNumber: (cell % 13) + 1,
    })),
  );
  await page.goto(`/draw/${number}/display${query}`);
  await expect(page.locator('.board-ticket img, .is-notice')).toBeVisible();
  await page.evaluate(() => document.fonts.ready);
}

const SOME_SIZES: readonly BoardSize[] = [
  [1920, 1080],
  [1280, 800],
  [1024, 768],
  [1080, 1920],
  [1080, 1080],
  [3440, 1440],
  [390, 844],
  [844, 390],
];

// A test lays out 24 screens, up to 7680 x 4320.
test.describe.configure({ timeout: 180_000 });
// Reduced motion shows the final state at once.
test.use({ contextOptions: { reducedMotion: 'reduce' } });

for (const [state, draw] of Object.entries(STATES))
  test(`a board with long names is whole on 24 screens: ${state}`, async ({ page, request }) => {
    const { drawNumber } = await findDrawWithTickets(request, 1);
    await openBoard(page, drawNumber, { ...draw, ...LONG_NAMES });
    expect(await boardDefects(page, BOARD_SIZES)).toEqual([]);
  });

test('a board that has lost its connection is whole on 24 screens', async ({ page, request }) => {
  const { drawNumber } = await findDrawWithTickets(request, 1);
  await page.clock.install();
  await openBoard(page, drawNumber, { ...ON_SALE, ...LONG_NAMES });
  // The first poll makes the board live.
  await page.clock.fastForward(16_000);
  await expect(page.getByText('Live', { exact: true })).toBeVisible();
  await page.route('**/api/**', (route) => route.abort());
  await page.clock.fastForward(90_000);
  await expect(page.getByText(/^Reconnecting – last update/)).toBeVisible();
  expect(await boardDefects(page, BOARD_SIZES)).toEqual([]);
  await page.context().setOffline(true);
  await expect(page.getByText('Offline', { exact: true }).first()).toBeVisible();
  expect(await boardDefects(page, BOARD_SIZES.slice(0, 4))).toEqual([]);
});

test('a board that has just sold tickets is whole', async ({ page, request }) => {
  const { drawNumber } = await findDrawWithTickets(request, 1);
  for (const query of ['', '?mode=compact', '?qr=xl']) {
    await page.clock.install();
    const draw = { ...ON_SALE, ...LONG_NAMES };
    await openBoard(page, drawNumber, draw, query);
    await page.clock.fastForward(16_000);
    await expect(page.getByText('Live', { exact: true })).toBeVisible();
    await changeDrawResponse(page, drawNumber, { ...draw, revision: 1e6, ticketsSold: 126 });
    await page.clock.fastForward(16_000);
    const news = page.getByText('12 tickets just sold');
    await expect(news).toBeVisible();
    expect(await boardDefects(page, SOME_SIZES), query).toEqual([]);
    await expect(news).toBeVisible();
  }
});

const SPONSOR_LOGO =
  'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" width="480" height="120"><rect width="480" height="120" fill="navy"/></svg>';

for (const [what, logo] of [
  ['a long name', null],
  ['a wide logo', SPONSOR_LOGO],
] as const)
  test(`a board with a sponsor of ${what} is whole on 24 screens`, async ({ page, request }) => {
    const { drawNumber } = await findDrawWithTickets(request, 1);
    for (const [query, draw, sizes] of [
      ['', ON_SALE, BOARD_SIZES],
      ['', RESULT, BOARD_SIZES],
      ['?mode=compact', ON_SALE, SOME_SIZES],
      ['?qr=xl', ON_SALE, SOME_SIZES],
    ] as const) {
      // A phone, the last size, shows no sponsor.
      await page.setViewportSize({ width: 1920, height: 1080 });
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await changeDrawResponse(page, drawNumber, { ...draw, ...LONG_NAMES });
      await changeResponse(page, /\/api\/clubs\/\d+$/, (club: object) => ({
        ...club,
        sponsorName: 'Harbour Marine and Outboard Motor Repair',
        sponsorLogoUrl: logo,
      }));
      await page.goto(`/draw/${drawNumber}/display${query}`);
      await expect(page.locator('.board-plate')).toBeVisible();
      await expect(page.locator('.board-ticket img')).toBeVisible();
      await page.evaluate(() => document.fonts.ready);
      expect(await boardDefects(page, sizes), query).toEqual([]);
    }
  });

test('the board of an unknown draw is whole on 24 screens', async ({ page }) => {
  await page.goto('/draw/999999/display');
  await expect(page.getByRole('heading', { name: 'Draw Not Found' })).toBeVisible();
  expect(await boardDefects(page, BOARD_SIZES)).toEqual([]);
});

test('an offer’s board is whole on 24 screens, with two games and with seven', async ({
  page,
  request,
}) => {
  const offer = await makeStubOffer(request);
  const game = offer.games[0] as StubOffer['games'][number];
  for (const count of [2, 7]) {
    const games = Array.from({ length: count }, (_, at) => ({
      ...game,
      ...LONG_NAMES,
      id: 990_000 + at,
      drawNumber: 990_000 + at,
    }));
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await serveOffer(page, { ...offer, games, name: 'Rosellas finals weekend special bundle' });
    await page.goto(`/bundle/${offer.clubSlug}/${offer.slug}/display`);
    await expect(page.locator('.board-game')).toHaveCount(Math.min(4, count));
    await page.evaluate(() => document.fonts.ready);
    expect(await boardDefects(page, BOARD_SIZES)).toEqual([]);
  }
});

test('compact boards, boards with a larger code and short names are whole', async ({
  page,
  request,
}) => {
  const { drawNumber } = await findDrawWithTickets(request, 1);
  for (const [query, draw] of [
    ['?mode=compact', { ...ON_SALE, ...LONG_NAMES }],
    ['?qr=xl', { ...ON_SALE, ...LONG_NAMES }],
    ['', { ...ON_SALE, homeTeam: 'Eels', awayTeam: 'Souths' }],
    ['', { ...RESULT, homeTeam: 'Eels', awayTeam: 'Souths' }],
    ['?mode=compact', RESULT],
  ] as const) {
    await openBoard(page, drawNumber, draw, query);
    expect(await boardDefects(page, SOME_SIZES), query).toEqual([]);
  }
});

test('a board is whole with the fallback font', async ({ page, request }) => {
  const { drawNumber } = await findDrawWithTickets(request, 1);
  for (const draw of [ON_SALE, RESULT]) {
    await openBoard(page, drawNumber, { ...draw, ...LONG_NAMES });
    await page.route('**/*.woff2', (route) => route.abort());
    await page.reload();
    await expect(page.locator('.board-ticket img')).toBeVisible();
    expect(await page.evaluate(() => document.fonts.check('600 20px "Barlow Condensed"'))).toBe(
      false,
    );
    expect(await boardDefects(page, SOME_SIZES)).toEqual([]);
  }
});

/** What the browser's zoom leaves of a screen of 1920 × 1080. */
const ZOOMED_SIZES = [0.5, 0.67, 1.1, 1.25, 1.5, 2, 3].map(
  (zoom) => [Math.round(1920 / zoom), Math.round(1080 / zoom)] as const,
);

test('a board is whole at every browser zoom', async ({ browser, request }) => {
  const { drawNumber } = await findDrawWithTickets(request, 1);
  const context = await browser.newContext({ deviceScaleFactor: 2, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await openBoard(page, drawNumber, { ...ON_SALE, ...LONG_NAMES });
  expect(await boardDefects(page, ZOOMED_SIZES)).toEqual([]);
  await context.close();
});
