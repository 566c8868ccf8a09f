import { test, type Page } from '@playwright/test';
import {
  SIGNED_OUT_SCREENS,
  findClubDraws,
  clubScreens,
  fetchDemoClub,
  createClubDraw,
  waitUntilLoaded,
  signIn,
} from './support/club';
import { CLUB_STATES } from './support/club-states';

const SCREENSHOT_FOLDER = 'e2e/__screenshots__';

const waitForAllAnimations = (page: Page) =>
  page.evaluate(() =>
    Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {}))),
  );

/**
 * Saves a screenshot of the whole page. Enlarges the window to the page's height, so that sticky
 * bars appear at the end of the page.
 */
async function saveFullPage(page: Page, name: string, width: number): Promise<void> {
  await waitForAllAnimations(page);
  const height = Math.max(
    width === 390 ? 844 : 800,
    await page.evaluate(() => document.documentElement.scrollHeight),
  );
  await page.setViewportSize({ width, height });
  await page.screenshot({ path: `${SCREENSHOT_FOLDER}/${name}-${width}.png` });
  await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
}

test('every screen of a club at both widths', async ({ browser, baseURL }) => {
  test.setTimeout(300_000);
  for (const width of [390, 1280]) {
    const context = await browser.newContext({
      viewport: { width, height: width === 390 ? 844 : 800 },
    });
    const page = await context.newPage();
    for (const { name, path } of SIGNED_OUT_SCREENS) {
      await page.goto(path);
      await waitUntilLoaded(page);
      await saveFullPage(page, name, width);
    }
    await page.goto('/admin/login');
    await page.getByRole('button', { name: 'Login', exact: true }).click();
    await saveFullPage(page, 'door-login-problems', width);
    const club = await fetchDemoClub(page);
    await signIn(page, baseURL ?? '', club);
    for (const { name, path } of await clubScreens(page, club)) {
      await page.goto(path);
      await waitUntilLoaded(page);
      await saveFullPage(page, name, width);
    }
    await page.goto(`/club/${club.slug}/admin`);
    await waitUntilLoaded(page);
    const card = page
      .getByRole('article')
      .filter({ has: page.getByText('Active', { exact: true }) })
      .first();
    await card.getByRole('button', { name: /^Actions for/ }).click();
    await waitForAllAnimations(page);
    await page.screenshot({ path: `${SCREENSHOT_FOLDER}/club-menu-${width}.png` });
    await page.getByRole('menuitem', { name: 'Details' }).click();
    await waitForAllAnimations(page);
    await page.screenshot({ path: `${SCREENSHOT_FOLDER}/club-details-${width}.png` });
    const draw = await createClubDraw(page, baseURL ?? '', club);
    await page.goto(`/club/${club.slug}/admin/results/${draw}`);
    await waitUntilLoaded(page);
    await page.locator('.pad button').nth(6).click();
    await page.locator('.pad button').nth(8).click();
    await waitForAllAnimations(page);
    await page.screenshot({ path: `${SCREENSHOT_FOLDER}/club-results-chosen-${width}.png` });
    await page.locator('.entry-bar').getByRole('button').click();
    await waitForAllAnimations(page);
    await page.screenshot({ path: `${SCREENSHOT_FOLDER}/club-results-confirm-${width}.png` });
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /^Announce/ })
      .click();
    await page.getByRole('heading', { name: 'The result is in' }).waitFor();
    await saveFullPage(page, 'club-winner-later', width);
    await context.close();
  }
});

const STATE_NAME_FILTER = new RegExp(process.env.ONLY ?? '');

test('every state of a club’s screens at both widths', async ({ browser, playwright, baseURL }) => {
  test.setTimeout(600_000);
  for (const width of [390, 1280]) {
    const context = await browser.newContext({
      viewport: { width, height: width === 390 ? 844 : 800 },
    });
    const first = await context.newPage();
    const club = await fetchDemoClub(first);
    await signIn(first, baseURL ?? '', club);
    const draws = await findClubDraws(first, club);
    const storageState = await context.storageState();
    for (const { name, loggedOut, show } of CLUB_STATES.filter(
      (state) => STATE_NAME_FILTER.test(state.name) && (width !== 390 || !state.wide),
    )) {
      const page = await browser.newPage({
        viewport: { width, height: width === 390 ? 844 : 800 },
        ...(loggedOut ? {} : { storageState }),
      });
      await show({ page, playwright, baseURL: baseURL ?? '', club, draws });
      // A dialog is saved at the size of the visible window, a page at its full height.
      if (await page.locator('dialog[open]').count())
        await waitForAllAnimations(page).then(() =>
          page.screenshot({ path: `${SCREENSHOT_FOLDER}/${name}-${width}.png` }),
        );
      else await saveFullPage(page, name, width);
      await page.close();
    }
    await context.close();
  }
});
