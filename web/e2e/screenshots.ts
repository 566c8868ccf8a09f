import { test } from '@playwright/test';
import { buyByCard, expectTickets, payButton, somebody } from './support/buyer';
import { drawWith } from './support/draws';
import { screens } from './support/screens';
import { SHOP_STATES } from './support/shop-states';

const FOLDER = 'e2e/__screenshots__';

test('every screen at both widths', async ({ page, request }) => {
  test.setTimeout(240_000);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
    const keep = (name: string) => page.screenshot({ path: `${FOLDER}/${name}-${width}.png`, fullPage: true });
    for (const { name, path } of await screens(request)) {
      await page.goto(path);
      await page.waitForLoadState('networkidle');
      await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {}))));
      await keep(name);
    }
    const draw = await drawWith(request, 5);
    await page.goto(`/draw/${draw.drawNumber}`);
    await payButton(page).click({ force: true });
    await keep('draw-problems');
    await buyByCard(page, draw.drawNumber, 3, somebody());
    await expectTickets(page, 3);
    await keep('thank-you');
    await page.getByRole('link', { name: 'My tickets' }).click();
    await keep('my-tickets');
  }
  await page.setViewportSize({ width: 1920, height: 1080 });
  for (const { name, path } of await screens(request)) {
    if (!name.startsWith('board')) continue;
    await page.goto(path);
    await page.waitForLoadState('networkidle');
    await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {}))));
    await page.screenshot({ path: `${FOLDER}/${name}-1920.png` });
  }
});

/** What covers the page is seen as a person sees it; everything else in its whole length. */
const COVERS = /drawer|sheet|help|terms|bank/;

for (const width of [390, 1280]) {
  for (const { name, show } of SHOP_STATES) {
    test(`${name} at ${width}`, async ({ page, request, playwright, baseURL }) => {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
      await show({ page, request, playwright, baseURL: baseURL ?? '' });
      await page.screenshot({ path: `${FOLDER}/${name}-${width}.png`, fullPage: !COVERS.test(name), animations: 'disabled' });
    });
  }
}
