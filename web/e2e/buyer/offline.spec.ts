import { expect, test, type Page } from '@playwright/test';
import { expectNoViolations } from '../support/axe';
import {
  GOOD_CARD,
  expectTickets,
  fillCard,
  fillDetails,
  payButton,
  newBuyer,
  tickConsentBoxes,
} from '../support/buyer';
import { listActiveDraws, findDrawWithTickets, type ListedDraw } from '../support/draws';

// Only these tests allow the service worker, because in other tests each answer must come from the
// server.
test.use({ serviceWorkers: 'allow', viewport: { width: 390, height: 844 } });

const OFFLINE_MESSAGE = "You are offline – tickets can't be bought";

/** Waits until the service worker has cached the page and the assets that it loaded. */
async function waitUntilCached(page: Page, path: string): Promise<void> {
  const missing = () =>
    page.evaluate(async (wanted) => {
      const files = performance
        .getEntriesByType('resource')
        .map(({ name }) => new URL(name))
        .filter(({ pathname }) => pathname.startsWith('/assets/'));
      const names = [wanted, ...files.map(({ pathname }) => pathname)];
      const found = await Promise.all(names.map((name) => caches.match(name)));
      return names.filter((_, at) => !found[at]);
    }, path);
  await expect.poll(missing, 'what the worker has not kept yet').toEqual([]);
}

const teamNames = (draw: ListedDraw) => [draw.homeTeam, draw.awayTeam];

async function expectOfflineDrawPage(page: Page, draw: ListedDraw): Promise<void> {
  for (const team of teamNames(draw))
    await expect(page.getByRole('heading', { level: 1 })).toContainText(team);
  await expect(page.locator('.buy strong', { hasText: OFFLINE_MESSAGE })).toBeVisible();
  await expect(page.locator('.wallet-wait')).toHaveText(OFFLINE_MESSAGE);
  await expect(payButton(page)).toBeDisabled();
  await expect(page.locator('.freshness')).toHaveText('Offline');
}

test('a visited draw opens offline, says that nothing can be bought, and sells again online', async ({
  page,
  context,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 3);
  const path = `/draw/${draw.drawNumber}`;
  await page.goto(`${path}?quantity=1`);
  await waitUntilCached(page, path);
  await context.setOffline(true);
  await expectOfflineDrawPage(page, draw);
  await page.reload();
  await expectOfflineDrawPage(page, draw);
  await expect(page.getByLabel('Full Name')).toBeDisabled();
  await expectNoViolations(page, 'a draw without signal');
  await context.setOffline(false);
  await expect(page.locator('html')).not.toHaveAttribute('data-copy');
  await expect(page.getByText(OFFLINE_MESSAGE)).toHaveCount(0);
  await tickConsentBoxes(page);
  await fillDetails(page, newBuyer());
  await fillCard(page, GOOD_CARD);
  await payButton(page).click();
  await expectTickets(page, 1);
});

test('typed details stay when the connection returns to an open page', async ({
  page,
  context,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 1);
  await page.goto(`/draw/${draw.drawNumber}`);
  await tickConsentBoxes(page);
  const person = newBuyer();
  await fillDetails(page, person);
  await context.setOffline(true);
  await expectOfflineDrawPage(page, draw);
  await context.setOffline(false);
  await expect(payButton(page)).toBeEnabled();
  await expect(page.getByLabel('Full Name')).toHaveValue(person.name);
});

test('a draw reached by navigation opens offline, an unvisited one says why not, and both recover online', async ({
  page,
  context,
  request,
}) => {
  const [seen, unseen] = (await listActiveDraws(request)).filter(
    (draw) => draw.ticketsAvailable > 0 && Date.parse(draw.gameDate) - Date.now() > 3_600_000,
  );
  if (!seen || !unseen) throw new Error('two draws on sale');
  await page.goto('/');
  await waitUntilCached(page, '/');
  await page.locator(`a[href="/draw/${seen.drawNumber}"]`).first().click();
  await expect(page).toHaveURL(new RegExp(`/draw/${seen.drawNumber}$`));
  await waitUntilCached(page, `/draw/${seen.drawNumber}`);
  await context.setOffline(true);
  await page.reload();
  await expectOfflineDrawPage(page, seen);
  await page.goto(`/draw/${unseen.drawNumber}`);
  await expect(page.getByRole('heading', { name: 'No connection' })).toBeVisible();
  await expect(page.getByText(OFFLINE_MESSAGE)).toBeVisible();
  await expectNoViolations(page, 'a page that was never seen');
  await context.setOffline(false);
  await page.getByRole('link', { name: 'Try again' }).click();
  for (const team of teamNames(unseen))
    await expect(page.getByRole('heading', { level: 1 })).toContainText(team);
});

test('after a purchase the cache holds only public pages and draws', async ({ page, request }) => {
  const draw = await findDrawWithTickets(request, 1);
  await page.goto(`/draw/${draw.drawNumber}?quantity=1`);
  await waitUntilCached(page, `/draw/${draw.drawNumber}`);
  const person = newBuyer();
  await tickConsentBoxes(page);
  await fillDetails(page, person);
  await fillCard(page, GOOD_CARD);
  await payButton(page).click();
  await expectTickets(page, 1);
  await page.goto('/my');
  const everything = await page.evaluate(async () => {
    const found: [string, string][] = [];
    for (const name of await caches.keys()) {
      const cache = await caches.open(name);
      for (const asked of await cache.keys())
        found.push([
          new URL(asked.url).pathname + new URL(asked.url).search,
          (await (await cache.match(asked, { ignoreVary: true }))?.text()) ?? '',
        ]);
    }
    return found;
  });
  const names = everything.map(([name]) => name).filter((name) => !name.startsWith('/assets/'));
  expect(names).toContain(`/draw/${draw.drawNumber}`);
  for (const name of names)
    expect(name).toMatch(
      /^\/$|^\/draw\/\d+$|^\/club\/[^/?]+$|^\/api\/draws\/(active|awaiting-results|completed|\d+)$/,
    );
  for (const [name, text] of everything)
    expect(text.includes(person.email) || text.includes(person.name), name).toBe(false);
});
