import { expect, test } from '@playwright/test';
import { withConsole } from '../support/console';

test('the header of a long table stays visible while its rows scroll', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 500 });
  await withConsole(page);
  await page.goto('/super-admin?section=transactions');
  const card = page.locator('.ops-table-card');
  await expect(card.getByRole('row')).not.toHaveCount(0);
  const head = card.locator('thead th').first();
  const room = await card.evaluate((box) => box.scrollHeight - box.clientHeight);
  expect(room, 'the table is longer than its place').toBeGreaterThan(100);
  await card.evaluate((box) => box.scrollTo(0, box.scrollHeight));
  await expect(card.getByRole('row').nth(1)).not.toBeInViewport();
  await expect(head).toBeInViewport();
  const [top, of] = await Promise.all([head.boundingBox(), card.boundingBox()]);
  expect(Math.abs((top?.y ?? 0) - (of?.y ?? -99))).toBeLessThanOrEqual(1);
});
