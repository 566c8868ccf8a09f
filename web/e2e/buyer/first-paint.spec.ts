import { expect, test } from '@playwright/test';
import { drawWith } from '../support/draws';

test.describe('without scripts', () => {
  test.use({ javaScriptEnabled: false });

  test('a draw’s teams, status, price, prize and the way to help are there', async ({ page, request }) => {
    const draw = await drawWith(request, 1);
    await page.goto(`/draw/${draw.drawNumber}`);
    await expect(page.getByRole('heading', { level: 1 })).toContainText(draw.homeTeam);
    await expect(page.locator('.badge')).toHaveText('Active');
    await expect(page.locator('.hero')).toContainText(`$${draw.ticketPrice}`);
    await expect(page.locator('.hero')).toContainText(`${draw.ticketsSold}/169`);
    await expect(page.getByRole('link', { name: 'Support', exact: true })).toHaveAttribute('href', /^mailto:/);
    await expect(page.locator('noscript, .notice').first()).toBeAttached();
  });
});

for (const width of [390, 1280]) {
  test(`nothing moves when the page takes over from the server at ${width}`, async ({ page, request }) => {
    const draw = await drawWith(request, 1);
    await page.setViewportSize({ width, height: 800 });
    await page.addInitScript(() => {
      const seen = { moved: 0 };
      Object.assign(window, { seen });
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries() as (PerformanceEntry & { value: number; hadRecentInput: boolean })[]) if (!entry.hadRecentInput) seen.moved += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    for (const path of ['/', `/draw/${draw.drawNumber}`, `/club/${draw.clubSlug}`]) {
      await page.goto(path);
      await expect(page.locator('.site-foot')).toBeAttached();
      await page.waitForLoadState('networkidle');
      expect(await page.evaluate(() => (window as unknown as { seen: { moved: number } }).seen.moved), path).toBeLessThanOrEqual(0.01);
    }
  });
}
