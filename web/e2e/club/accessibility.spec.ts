import { expect, test, type Page } from '@playwright/test';
import { expectNoViolations, findAxeViolations } from '../support/axe';
import {
  SIGNED_OUT_SCREENS,
  clubScreens,
  fetchDemoClub,
  waitUntilLoaded,
  signIn,
} from '../support/club';
import { smallTapTargets, contentWidth } from '../support/targets';

const PHONE_SIZE = { width: 390, height: 844 };
const DESKTOP_SIZE = { width: 1280, height: 800 };

test('no screen of a club has an axe violation at 390 and 1280, scrolls sideways at 320 or has a small target', async ({
  page,
  baseURL,
}) => {
  test.setTimeout(240_000);
  const look = async (name: string, path: string) => {
    await page.setViewportSize(PHONE_SIZE);
    await page.goto(path);
    await waitUntilLoaded(page);
    expect.soft(await findAxeViolations(page, `${name} at 390`)).toEqual([]);
    expect.soft(await smallTapTargets(page), name).toEqual([]);
    await page.setViewportSize(DESKTOP_SIZE);
    expect.soft(await findAxeViolations(page, `${name} at 1280`)).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    // Polls, because React changes the header after the window has become narrow.
    await expect.soft.poll(() => contentWidth(page), { message: name }).toBeLessThanOrEqual(320);
  };
  for (const { name, path } of SIGNED_OUT_SCREENS) await look(name, path);
  const club = await fetchDemoClub(page);
  await signIn(page, baseURL ?? '', club);
  for (const { name, path } of await clubScreens(page, club)) await look(name, path);
});

for (const size of [PHONE_SIZE, DESKTOP_SIZE]) {
  test(`menus, dialogs and form problems of a club’s screens have no axe violation at ${size.width}`, async ({
    page,
    baseURL,
  }) => {
    test.setTimeout(180_000);
    await page.setViewportSize(size);
    await page.goto('/admin/login');
    await waitUntilLoaded(page);
    await page.getByRole('button', { name: 'Login', exact: true }).click();
    await expect(page.locator('.problems')).toBeFocused();
    // The first toast appears once its file has loaded.
    await expect(page.locator('.toast')).toBeVisible();
    await expectNoViolations(page, 'login problems');
    const register = page.getByRole('tab', { name: 'Register Club' });
    if (await register.isVisible()) {
      await register.click();
      await expectNoViolations(page, 'register');
    }
    const club = await fetchDemoClub(page);
    await signIn(page, baseURL ?? '', club);
    await page.goto(`/club/${club.slug}/admin`);
    await waitUntilLoaded(page);
    const card = page
      .getByRole('article')
      .filter({ has: page.getByText('Active', { exact: true }) })
      .first();
    await card.getByRole('button', { name: /^Actions for/ }).click();
    await expect(page.getByRole('menu')).toBeVisible();
    await expectNoViolations(page, 'menu');
    await page.getByRole('menuitem', { name: 'Details' }).click();
    await expect(page.getByRole('dialog', { name: 'Draw Details' })).toBeVisible();
    await expectNoViolations(page, 'details');
    await page.keyboard.press('Escape');
    await page.goto(`/club/${club.slug}/admin/create-draw`);
    await waitUntilLoaded(page);
    await page.locator('form').getByRole('button', { name: 'Create Draw' }).click();
    await expect(page.locator('.problems')).toBeFocused();
    await expectNoViolations(page, 'create problems');
    await fillCreateDrawForm(page);
    await page.locator('form').getByRole('button', { name: 'Create Draw' }).first().click();
    const terms = page.getByRole('dialog', { name: 'Terms of Service' });
    await expect(terms).toBeVisible();
    await terms.getByRole('button', { name: 'Create Draw' }).click();
    await expect(terms.locator('#agree-terms-error')).toBeVisible();
    await expectNoViolations(page, 'terms');
    await page.goto(`/club/${club.slug}/admin/create-draw`);
    await page.getByRole('tab', { name: 'A season (CSV)' }).click();
    await page.getByLabel('Or paste the table').fill('date,home\n1,2');
    await page.getByRole('button', { name: 'Preview' }).click();
    await expect(page.getByRole('alert').filter({ hasText: 'Line 1' })).toBeVisible();
    await expectNoViolations(page, 'fixtures refused');
  });
}

async function fillCreateDrawForm(page: Page): Promise<void> {
  await page.getByLabel('Home team').fill('Sharks');
  await page.getByLabel('Away team').fill('Tigers');
  await page.getByLabel('Game date').fill('2099-03-06');
  await page.getByLabel('Contact name').fill('Kim');
  await page.getByLabel('Contact phone').fill('0400 000 000');
}
