import { expect, test, type Page } from '@playwright/test';
import {
  READ_RETRIES,
  listActiveDraws,
  findCompletedDraw,
  fetchListedDraw,
  findDrawWithTickets,
  type ListedDraw,
} from '../support/draws';
import { stubResponse } from '../support/stubs';

/** Removes the browser's share menu, so that the page must copy the link instead. */
const removeShareMenu = (page: Page) =>
  page.addInitScript(() => Object.defineProperty(navigator, 'share', { value: undefined }));

/** Stops the browser's clock. It then advances only when the test advances it. */
const stopClock = async (page: Page) =>
  page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);

test('a club’s page links to its draws, its admin pages, home and the draws of other clubs', async ({
  page,
  request,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await removeShareMenu(page);
  const { clubSlug } = await findDrawWithTickets(request, 1);
  await page.goto(`/club/${clubSlug}`);
  await expect(page.getByRole('link', { name: 'View Current Draws' })).toHaveAttribute(
    'href',
    '#live-draws',
  );
  await expect(page.getByRole('link', { name: 'Club Admin Login' })).toHaveAttribute(
    'href',
    '/admin',
  );
  const other = page.getByRole('region', { name: 'Not Your Club?' });
  await expect(other.getByRole('link', { name: 'Home' })).toHaveAttribute('href', '/');
  await expect(other.getByRole('link', { name: 'Find Draws' })).toHaveAttribute(
    'href',
    '/#live-draws',
  );
  await page.getByRole('button', { name: 'Share Club' }).click();
  await expect(page.locator('.toast')).toContainText('Copied to clipboard!');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain(`/club/${clubSlug}`);
});

test('finished games that await a result are listed only on their own club’s page', async ({
  page,
  request,
}) => {
  const awaiting = (await (
    await request.get('/api/draws/awaiting-results', READ_RETRIES)
  ).json()) as ListedDraw[];
  const [draw] = awaiting;
  expect(draw, 'a draw that waits for its result').toBeDefined();
  await page.goto(`/club/${draw?.clubSlug}`);
  const finished = page.getByRole('region', { name: 'Games Finished - Results Pending' });
  await expect(finished.getByRole('listitem')).toHaveCount(
    awaiting.filter((other) => other.clubSlug === draw?.clubSlug).length,
  );
  await expect(finished).toContainText(`${draw?.homeTeam} v ${draw?.awayTeam}`);
  const elsewhere = (await listActiveDraws(request)).find(
    (other) => other.clubSlug !== draw?.clubSlug,
  )?.clubSlug;
  await page.goto(`/club/${elsewhere}`);
  await expect(page.getByRole('heading', { name: 'How Football Doubles Works' })).toBeVisible();
  await expect(page.getByText(`${draw?.homeTeam} v ${draw?.awayTeam}`)).toHaveCount(0);
});

test('while a club’s draws load, placeholders reserve their space', async ({ page }) => {
  await stubResponse(page, /\/api\/clubs\/slug\/held$/, {
    id: 99,
    name: 'Held RLFC',
    slug: 'held',
    canonicalSlug: 'held',
    homePageEnabled: true,
    activeDraws: [],
    completedDraws: [],
    primaryColor: '#1f2937',
    secondaryColor: '#374151',
    accentColor: '#3b82f6',
  });
  let release: () => void = () => {};
  const held = new Promise<void>((done) => (release = done));
  await page.route(
    /\/api\/(draws\/awaiting-results|clubs\/[^/]+\/(draws|bundles))/,
    async (route) => {
      await held;
      await route.fulfill({ json: [] });
    },
  );
  await page.goto('/club/held');
  await expect(page.locator('[aria-label="Loading draws"] .draw-card')).toHaveCount(3);
  release();
  await expect(page.getByText('Coming Soon')).toBeVisible();
  await expect(page.locator('[aria-label="Loading draws"]')).toHaveCount(0);
});

test('toasts show one at a time for five seconds and close with a swipe of 50 px', async ({
  page,
  request,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await removeShareMenu(page);
  await page.clock.install();
  const { drawNumber } = await findDrawWithTickets(request, 1);
  await page.goto(`/draw/${drawNumber}`);
  const share = page.getByRole('button', { name: 'Share this draw' });
  await expect(share).toBeVisible();
  await stopClock(page);
  await share.click();
  await page.locator('.toast').evaluate((first) => first.classList.add('is-first'));
  await share.click();
  await expect(page.locator('.toast:not(.is-first)')).toHaveCount(1);
  await expect(page.locator('.toast')).toHaveCount(1);
  await page.clock.runFor(4_500);
  await expect(page.locator('.toast')).toHaveCount(1);
  await page.clock.runFor(800);
  await expect(page.locator('.toast')).toHaveCount(0);
  const swipe = async (by: number) => {
    const box = await page.locator('.toast strong').boundingBox();
    const [x, y] = [(box?.x ?? 0) + 5, (box?.y ?? 0) + 5];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + by, y, { steps: 4 });
    await page.mouse.up();
  };
  await share.click();
  await swipe(40);
  await expect(page.locator('.toast')).toHaveCount(1);
  await swipe(60);
  await expect(page.locator('.toast')).toHaveCount(0);
});

test('when sharing is impossible the link is shown for ten seconds to copy by hand', async ({
  page,
  request,
}) => {
  await removeShareMenu(page);
  await page.addInitScript(() => {
    Object.defineProperty(navigator, 'clipboard', {
      value: { writeText: () => Promise.reject(new Error('no')) },
    });
    document.execCommand = () => false;
  });
  await page.clock.install();
  const { drawNumber } = await findDrawWithTickets(request, 1);
  await page.goto(`/draw/${drawNumber}`);
  await expect(page.getByRole('button', { name: 'Share this draw' })).toBeVisible();
  await stopClock(page);
  await page.getByRole('button', { name: 'Share this draw' }).click();
  await expect(page.getByRole('alert')).toContainText('Unable to share');
  await expect(page.getByRole('alert')).toContainText(
    'Please copy the URL manually to share this draw.',
  );
  await expect(page.getByLabel('Link to copy')).toHaveValue(new RegExp(`/draw/${drawNumber}$`));
  await page.mouse.move(0, 400);
  await page.clock.runFor(9_500);
  await expect(page.getByRole('alert')).toHaveCount(1);
  await page.clock.runFor(800);
  await expect(page.getByRole('alert')).toHaveCount(0);
});

test('every page has the version in its footer and the support link in its header, in the same order', async ({
  page,
  request,
}) => {
  const { buildVersion, supportEmail, supportSms } = (await (
    await request.get('/api/config', READ_RETRIES)
  ).json()) as { buildVersion: string; supportEmail: string; supportSms: string };
  for (const path of ['/', `/draw/${(await findDrawWithTickets(request, 1)).drawNumber}`, '/my']) {
    await page.goto(path);
    await expect(page.locator('.site-foot')).toContainText(`Version ${buildVersion}`);
    const links = page.getByRole('banner').locator('.support-link');
    await expect(links).toHaveText(['Support', new RegExp(`^Text\\s+${supportSms}`)]);
    // The gap between the word 'Text' and the phone number must be visible on the screen.
    const gap = await links.nth(1).evaluate((link) => {
      const word = document.createRange();
      word.setStart(link.firstChild as Text, 0);
      word.setEnd(link.firstChild as Text, 'Text'.length);
      const number = [...link.children].find((part) => part.getBoundingClientRect().width > 0);
      return (number?.getBoundingClientRect().left ?? 0) - word.getBoundingClientRect().right;
    });
    expect(gap, path).toBeGreaterThan(2);
    await expect(links.nth(0)).toHaveAttribute('href', `mailto:${supportEmail}`);
    await expect(links.nth(1)).toHaveAttribute('href', `sms:${supportSms.replace(/\s/g, '')}`);
  }
});

test('a page that crashed says so, and its button reloads it', async ({ page }) => {
  await stubResponse(page, '/api/footer-menus', [{ id: 1, heading: 'Broken' }]);
  await page.goto('/');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Something went wrong');
  await expect(page.getByText('Technical details')).toBeVisible();
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Reload Page' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(
    'Two first tries. One winning ticket.',
  );
});

test('a result’s card shows the scorers, the prize with cents and the serial, but no name', async ({
  page,
  request,
}) => {
  const { homeTeam, awayTeam } = await fetchListedDraw(
    request,
    (await findCompletedDraw(request)) ?? 0,
  );
  await page.goto('/');
  const card = page
    .getByRole('region', { name: 'Recent Results' })
    .getByRole('article', { name: `${homeTeam} v ${awayTeam}` })
    .first();
  await expect(card).toContainText('COMPLETED');
  await expect(card).toContainText(/#\d+ & #\d+/);
  await expect(card).toContainText(/\$[\d,]+\.\d\d/);
  await expect(card).toContainText(/FD-\d+-\d{3}/);
});
