import { expect, test } from '@playwright/test';

for (const path of ['/privacy', '/my', '/thank-you', '/demo-thank-you', '/debugcart'])
  test(`${path} loads no payment script`, async ({ page }) => {
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(page.locator('.site-foot')).toBeVisible();
    // Clicks and moves could load it.
    await page.mouse.move(200, 300);
    await page.keyboard.press('Tab');
    expect(requested.filter((url) => /stripe/.test(url))).toEqual([]);
  });
