import { test, type Page } from '@playwright/test';
import { DOORS, clubDraws, clubScreens, demoClub, newDraw, settled, signIn } from './support/club';
import { CLUB_STATES } from './support/club-states';

const FOLDER = 'e2e/__screenshots__';

const still = (page: Page) =>
  page.evaluate(() =>
    Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {}))),
  );

/**
 * Saves a screenshot of the whole page. The window is enlarged to the page's height, so that
 * sticky bars appear at the page's end.
 */
async function keep(page: Page, name: string, width: number): Promise<void> {
  await still(page);
  const height = Math.max(
    width === 390 ? 844 : 800,
    await page.evaluate(() => document.documentElement.scrollHeight),
  );
  await page.setViewportSize({ width, height });
  await page.screenshot({ path: `${FOLDER}/${name}-${width}.png` });
  await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
}

test('every screen of a club at both widths', async ({ browser, baseURL }) => {
  test.setTimeout(300_000);
  for (const width of [390, 1280]) {
    const context = await browser.newContext({
      viewport: { width, height: width === 390 ? 844 : 800 },
    });
    const page = await context.newPage();
    for (const { name, path } of DOORS) {
      await page.goto(path);
      await settled(page);
      await keep(page, name, width);
    }
    await page.goto('/admin/login');
    await page.getByRole('button', { name: 'Login', exact: true }).click();
    await keep(page, 'door-login-problems', width);
    const club = await demoClub(page);
    await signIn(page, baseURL ?? '', club);
    for (const { name, path } of await clubScreens(page, club)) {
      await page.goto(path);
      await settled(page);
      await keep(page, name, width);
    }
    await page.goto(`/club/${club.slug}/admin`);
    await settled(page);
    const card = page
      .getByRole('article')
      .filter({ has: page.getByText('Active', { exact: true }) })
      .first();
    await card.getByRole('button', { name: /^Actions for/ }).click();
    await still(page);
    await page.screenshot({ path: `${FOLDER}/club-menu-${width}.png` });
    await page.getByRole('menuitem', { name: 'Details' }).click();
    await still(page);
    await page.screenshot({ path: `${FOLDER}/club-details-${width}.png` });
    const draw = await newDraw(page, baseURL ?? '', club);
    await page.goto(`/club/${club.slug}/admin/results/${draw}`);
    await settled(page);
    await page.locator('.pad').nth(0).locator('button').nth(6).click();
    await page.locator('.pad').nth(1).locator('button').nth(8).click();
    await still(page);
    await page.screenshot({ path: `${FOLDER}/club-results-chosen-${width}.png` });
    await page.locator('.entry-bar').getByRole('button').click();
    await still(page);
    await page.screenshot({ path: `${FOLDER}/club-results-confirm-${width}.png` });
    await page.getByRole('alertdialog').getByRole('button', { name: 'Submit Results' }).click();
    await page.getByRole('heading', { name: 'The result is in' }).waitFor();
    await keep(page, 'club-winner-later', width);
    await context.close();
  }
});

const ONLY = new RegExp(process.env.ONLY ?? '');

test('every state of a club’s screens at both widths', async ({ browser, playwright, baseURL }) => {
  test.setTimeout(600_000);
  for (const width of [390, 1280]) {
    const context = await browser.newContext({
      viewport: { width, height: width === 390 ? 844 : 800 },
    });
    const first = await context.newPage();
    const club = await demoClub(first);
    await signIn(first, baseURL ?? '', club);
    const draws = await clubDraws(first, club);
    const storageState = await context.storageState();
    for (const { name, loggedOut, show } of CLUB_STATES.filter(
      (state) => ONLY.test(state.name) && (width !== 390 || !state.wide),
    )) {
      const page = await browser.newPage({
        viewport: { width, height: width === 390 ? 844 : 800 },
        ...(loggedOut ? {} : { storageState }),
      });
      await show({ page, playwright, baseURL: baseURL ?? '', club, draws });
      // A dialog is saved at the size of the visible window, a page at its full height.
      if (await page.locator('dialog[open]').count())
        await still(page).then(() => page.screenshot({ path: `${FOLDER}/${name}-${width}.png` }));
      else await keep(page, name, width);
      await page.close();
    }
    await context.close();
  }
});
