import { test } from '@playwright/test';
import { waitForAnimations } from './support/axe';
import { SHOP_STATES } from './support/shop-states';

const FOLDER = 'e2e/__screenshots__';
/**
 * Names of states with an overlay. They are saved at the size of the visible window, other states
 * at full height.
 */
const COVERS = /drawer|sheet|help|terms|bank/;
const wanted = new RegExp(process.env.ONLY ?? '');

for (const width of [390, 1280]) {
  for (const { name, show } of SHOP_STATES.filter((state) => wanted.test(state.name))) {
    test(`${name} at ${width}`, async ({ page, request, playwright, baseURL }) => {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
      await show({ page, request, playwright, baseURL: baseURL ?? '' });
      await waitForAnimations(page);
      await page.screenshot({
        path: `${FOLDER}/${name}-${width}.png`,
        fullPage: !COVERS.test(name),
        animations: 'disabled',
      });
    });
  }
}
