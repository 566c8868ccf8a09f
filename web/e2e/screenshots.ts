import { test } from '@playwright/test';
import { atRest } from './support/axe';
import { SHOP_STATES } from './support/shop-states';

const FOLDER = 'e2e/__screenshots__';
/** States with an overlay are saved with the visible window only, other states in full length. */
const COVERS = /drawer|sheet|help|terms|bank/;
const wanted = new RegExp(process.env.ONLY ?? '');

for (const width of [390, 1280]) {
  for (const { name, show } of SHOP_STATES.filter((state) => wanted.test(state.name))) {
    test(`${name} at ${width}`, async ({ page, request, playwright, baseURL }) => {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
      await show({ page, request, playwright, baseURL: baseURL ?? '' });
      await atRest(page);
      await page.screenshot({
        path: `${FOLDER}/${name}-${width}.png`,
        fullPage: !COVERS.test(name),
        animations: 'disabled',
      });
    });
  }
}
