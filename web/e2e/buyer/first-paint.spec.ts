import { expect, test, type APIRequestContext } from '@playwright/test';
import { listActiveDraws, findDrawWithTickets } from '../support/draws';
import { FRACTIONAL_TEXT_OPTIONS } from '../support/launch-options';

test.use({ launchOptions: FRACTIONAL_TEXT_OPTIONS });

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('a draw’s page shows its teams, status, price, prize and the support link', async ({
    page,
    request,
  }) => {
    const draw = await findDrawWithTickets(request, 1);
    await page.goto(`/draw/${draw.drawNumber}`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(draw.homeTeam);
    await expect(page.locator('.badge')).toHaveText('Active');
    await expect(page.locator('.hero')).toContainText(`$${draw.ticketPrice}`);
    await expect(page.locator('.hero')).toContainText(`${draw.ticketsSold}/169`);
    await expect(page.getByRole('link', { name: 'Support', exact: true })).toHaveAttribute(
      'href',
      /^mailto:/,
    );
    await expect(page.locator('noscript, .notice').first()).toBeAttached();
  });
});

for (const width of [390, 1280]) {
  test(`nothing moves when React replaces the server’s markup at ${width}`, async ({
    page,
    request,
  }) => {
    const draw = await findDrawWithTickets(request, 1);
    await page.setViewportSize({ width, height: 800 });
    await page.addInitScript(() => {
      const seen = { moved: 0 };
      Object.assign(window, { seen });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & {
          value: number;
          hadRecentInput: boolean;
        })[])
          if (!entry.hadRecentInput) seen.moved += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    for (const path of ['/', `/draw/${draw.drawNumber}`, `/club/${draw.clubSlug}`]) {
      await page.goto(path);
      await expect(page.locator('.site-foot')).toBeAttached();
      await page.waitForLoadState('networkidle');
      expect(
        await page.evaluate(() => (window as unknown as { seen: { moved: number } }).seen.moved),
        path,
      ).toBeLessThanOrEqual(0.01);
    }
  });
}

for (const width of [390, 1280]) {
  test(`both fonts replace their fallbacks without moving the page on a slow first visit at ${width}`, async ({
    page,
    request,
  }) => {
    const draw = await findDrawWithTickets(request, 1);
    await page.setViewportSize({ width, height: 844 });
    await page.addInitScript(() => {
      const seen = { moved: 0 };
      Object.assign(window, { seen });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number })[])
          seen.moved += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    for (const path of ['/', `/draw/${draw.drawNumber}`, `/club/${draw.clubSlug}`]) {
      let release: () => void = () => {};
      const held = new Promise<void>((done) => (release = done));
      await page.route('**/*.woff2', async (route) => {
        await held;
        await route.continue().catch(() => {});
      });
      await page.goto(path, { waitUntil: 'domcontentloaded' });
      await expect(page.locator('.site-foot')).toBeAttached();
      await page.evaluate(() => new Promise((painted) => requestAnimationFrame(painted)));
      const loaded = () =>
        page.evaluate(() =>
          [...document.fonts]
            .filter(({ family }) => /Barlow Condensed|Figtree/.test(family))
            .map(({ display, status }) => `${display} ${status}`),
        );
      expect(await loaded(), path).toEqual(['swap loading', 'swap loading']);
      release();
      await expect.poll(loaded, path).toEqual(['swap loaded', 'swap loaded']);
      await page.evaluate(() => new Promise((painted) => requestAnimationFrame(painted)));
      expect
        .soft(
          await page.evaluate(() => (window as unknown as { seen: { moved: number } }).seen.moved),
          path,
        )
        .toBeLessThanOrEqual(0.01);
      await page.unrouteAll({ behavior: 'wait' });
    }
  });
}

/** Returns the path of an offer that is on sale. */
async function findOfferPathOnSale(request: APIRequestContext): Promise<string> {
  for (const club of new Set((await listActiveDraws(request)).map(({ clubSlug }) => clubSlug))) {
    const offers = (await (await request.get(`/api/clubs/${club}/bundles`)).json()) as {
      slug: string;
    }[];
    if (offers[0]) return `/club/${club}/specials/${offers[0].slug}`;
  }
  throw new Error('no club of the demo sells an offer');
}

const topPositions = (parts: readonly string[]) =>
  parts.map((part) =>
    [
      part,
      ...[...document.querySelectorAll(part)].map((box) =>
        Math.round(box.getBoundingClientRect().top),
      ),
    ].join(' '),
  );

for (const width of [390, 1280]) {
  test(`the server’s markup of a draw and an offer is laid out like React’s in another time zone at ${width}`, async ({
    browser,
    request,
    baseURL,
  }) => {
    const draw = await findDrawWithTickets(request, 1);
    for (const [path, parts] of [
      [`/draw/${draw.drawNumber}`, ['.teams', '.stats', '.progress-row', '.buy']],
      [
        await findOfferPathOnSale(request),
        [
          '.offer-back',
          '.offer-picture',
          '.offer-text h1',
          '.offer-buy',
          '.offer-buy h2',
          '.offer-games',
          '.offer-games li',
        ],
      ],
    ] as const) {
      const context = await browser.newContext({
        baseURL,
        timezoneId: 'Australia/Sydney',
        viewport: { width, height: 844 },
      });
      const page = await context.newPage();
      let release: () => void = () => {};
      const held = new Promise<void>((done) => (release = done));
      await page.route('**/*.js', async (route) => {
        await held;
        await route.continue().catch(() => {});
      });
      await page.goto(path, { waitUntil: 'commit' });
      await expect(page.locator('.skeleton').first()).toBeAttached();
      await page.evaluate(() => document.fonts.ready);
      const drawn = await page.evaluate(topPositions, parts);
      release();
      await expect(page.locator('.skeleton')).toHaveCount(0);
      expect.soft(await page.evaluate(topPositions, parts), path).toEqual(drawn);
      await context.close();
    }
  });
}

test('browsers find the icons at their fixed URLs', async ({ request }) => {
  for (const [path, type] of [
    ['/favicon.ico', /icon/],
    ['/apple-touch-icon.png', /image\/png/],
  ] as const) {
    const answer = await request.get(path);
    expect(answer.status(), path).toBe(200);
    expect(answer.headers()['content-type'], path).toMatch(type);
  }
});
