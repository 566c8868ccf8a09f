import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { READ_RETRIES, buyThroughApi, findDrawWithTickets } from '../support/draws';

const KB = 1024;

test('the scripts of each page stay within their size budget', async ({ browser, request }) => {
  const draw = await findDrawWithTickets(request, 1);
  const budgets = [
    ['/', 125],
    [`/club/${draw.clubSlug}`, 130],
    [`/draw/${draw.drawNumber}/display`, 110],
    [`/verify/${draw.drawNumber}`, 130],
    [`/club/${draw.clubSlug}/specials/none`, 130],
    ['/my', 130],
    [`/draw/${draw.drawNumber}`, 150],
    [`/checkout/${draw.drawNumber}?tickets=1`, 150],
    ['/thank-you', 150],
    ['/admin/login', 180],
    ['/super-admin', 220],
  ] as const;
  for (const [path, budget] of budgets) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const weights: Promise<number>[] = [];
    page.on('response', (answer) => {
      if (new URL(answer.url()).pathname.endsWith('.js') && !answer.url().includes('/sandbox/'))
        weights.push(answer.body().then((body) => gzipSync(body, { level: 9 }).length));
    });
    await page.goto(path);
    await page.waitForLoadState('networkidle');
    const total = (await Promise.all(weights)).reduce((sum, weight) => sum + weight, 0);
    expect
      .soft(Math.round(total / KB), `${path}: KB of script, gzipped`)
      .toBeLessThanOrEqual(budget);
    await context.close();
  }
});

test('with scripts delayed by ten seconds the first screen of each page is readable', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 1);
  let release: () => void = () => {};
  const held = new Promise<void>((done) => (release = done));
  await page.route('**/*.js', async (route) => {
    await held;
    await route.continue().catch(() => {});
  });
  for (const [path, text] of [
    ['/', 'Two first tries. One winning ticket.'],
    [`/draw/${draw.drawNumber}`, draw.homeTeam],
    [`/draw/${draw.drawNumber}/display`, draw.homeTeam],
  ] as const) {
    await page.goto(path, { waitUntil: 'commit' });
    await expect(page.getByRole('heading', { level: 1 })).toContainText(text);
    await expect(
      page.getByText(`${draw.ticketsSold}${path.endsWith('display') ? ' / ' : '/'}169`).first(),
    ).toBeVisible();
  }
  await page.goto(`/club/${draw.clubSlug}`, { waitUntil: 'commit' });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByRole('link', { name: /Buy Now/ }).first()).toBeVisible();
  await expect(page.getByRole('link', { name: 'Support', exact: true })).toHaveAttribute(
    'href',
    /^mailto:/,
  );
  release();
});

for (const width of [390, 1280]) {
  test(`nothing moves while tickets are sold, at ${width}`, async ({
    page,
    request,
    playwright,
    baseURL,
  }) => {
    test.setTimeout(120_000);
    const draw = await findDrawWithTickets(request, 8);
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
    for (const path of ['/', `/club/${draw.clubSlug}`, `/draw/${draw.drawNumber}/display`]) {
      await page.goto(path);
      await page.waitForLoadState('networkidle');
      for (let sale = 0; sale < 2; sale++) {
        const crowd = await playwright.request.newContext({ baseURL });
        await buyThroughApi(crowd, baseURL ?? '', draw.drawNumber, 1);
        await crowd.dispose();
        const { ticketsSold } = (await (
          await request.get(`/api/draws/${draw.drawNumber}`, READ_RETRIES)
        ).json()) as { ticketsSold: number };
        await expect(
          page
            .getByText(path.endsWith('display') ? `${ticketsSold} / 169` : `${ticketsSold}/169`, {
              exact: true,
            })
            .first(),
        ).toBeVisible({ timeout: 20_000 });
      }
      expect(
        await page.evaluate(() => (window as unknown as { seen: { moved: number } }).seen.moved),
        path,
      ).toBeLessThanOrEqual(0.01);
    }
  });
}
