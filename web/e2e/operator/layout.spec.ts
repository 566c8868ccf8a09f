import { expect, test } from '@playwright/test';
import { stubConsole } from '../support/console';

test('the narrow sidebar keeps its badges, and a wide screen is used to its edge', async ({
  page,
}) => {
  await stubConsole(page);
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.goto('/super-admin?section=draws');
  const main = page.locator('.ops-main');
  await expect(page.getByRole('table', { name: 'Draw Management' })).toBeVisible();
  const table = await page.locator('.ops-table-card').boundingBox();
  expect((table?.x ?? 0) + (table?.width ?? 0)).toBeGreaterThanOrEqual(1890);
  expect((await main.boundingBox())?.width).toBe(1920 - 216);

  await page.getByRole('button', { name: 'Narrow sidebar' }).click();
  const badge = page.locator('.ops-side .ops-nav-count').first();
  await expect(badge).toBeVisible();
  const [side, box] = [await page.locator('.ops-side').boundingBox(), await badge.boundingBox()];
  expect(side?.width).toBe(56);
  expect(box?.width).toBeGreaterThanOrEqual(14);
  expect((box?.x ?? 99) + (box?.width ?? 99)).toBeLessThanOrEqual(56);
  const link = await page.getByRole('link', { name: /^Waitlist/ }).boundingBox();
  // The badge lies on its own link, not on a neighbour's.
  expect(box?.y).toBeGreaterThanOrEqual((link?.y ?? 0) - 4);
  expect(box?.y).toBeLessThan((link?.y ?? 0) + (link?.height ?? 0));
});

test('no table of the console is cut off at 1280', async ({ page }) => {
  await stubConsole(page);
  await page.setViewportSize({ width: 1280, height: 800 });
  for (const section of ['draws', 'payments', 'transactions', 'clubs', 'orphans']) {
    await page.goto(`/super-admin?section=${section}`);
    await expect(page.locator('[data-row]').first()).toBeVisible();
    const beyond = await page
      .locator('.ops-table-card')
      .evaluate((card) => card.scrollWidth - card.clientWidth);
    expect.soft(beyond, section).toBeLessThanOrEqual(0);
  }
});
