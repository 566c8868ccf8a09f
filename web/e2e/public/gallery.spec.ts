import { expect, test } from '@playwright/test';
import { expectNoViolations } from '../support/axe';
import { contentWidth, smallTapTargets } from '../support/targets';

// The page has about 500 elements in two themes, which axe checks several times.
test.describe.configure({ timeout: 120_000 });

for (const size of [
  { width: 390, height: 844 },
  { width: 1280, height: 900 },
])
  test(`the gallery of components has no axe violation at ${size.width}`, async ({ page }) => {
    await page.setViewportSize(size);
    await page.goto('/sandbox/gallery');
    await expect(
      page.getByRole('heading', { level: 2, name: 'Club: navy and gold' }),
    ).toBeVisible();
    await expect(page.locator('.draw-card h3')).toHaveCount(6);
    await expectNoViolations(page, 'gallery');
    expect(await contentWidth(page)).toBeLessThanOrEqual(size.width);
    if (size.width === 390) expect(await smallTapTargets(page)).toEqual([]);
    const theme = page.getByRole('region', { name: 'Club: navy and gold' });
    for (const kind of ['sheet', 'drawer', 'confirm', 'danger']) {
      await theme.getByRole('button', { name: `Open ${kind}` }).click();
      await expect(page.locator('dialog[open]')).toBeVisible();
      await expectNoViolations(page, kind);
      await page.keyboard.press('Escape');
      await expect(page.locator('dialog[open]')).toHaveCount(0);
    }
    for (const kind of ['success', 'error', 'with action', 'with a link']) {
      await theme.getByRole('button', { name: `Show ${kind}` }).click();
      await expect(page.locator('.toast')).toBeVisible();
      await expectNoViolations(page, `toast: ${kind}`);
    }
    await theme.getByRole('button', { name: 'More actions' }).click();
    await expect(page.getByRole('menuitem', { name: 'Edit draw' })).toBeFocused();
    await expectNoViolations(page, 'menu');
    await page.keyboard.press('Escape');
    await expect(theme.getByRole('button', { name: 'More actions' })).toBeFocused();
  });

test('no page of a buyer loads the gallery', async ({ page }) => {
  const loaded: string[] = [];
  page.on('request', (request) => loaded.push(request.url()));
  for (const path of ['/', '/my', '/club/bayside-barracudas', '/privacy']) await page.goto(path);
  expect(loaded.filter((url) => url.includes('gallery'))).toEqual([]);
});
