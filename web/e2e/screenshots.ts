import { test } from '@playwright/test';
import { waitForAnimations } from './support/axe';
import { SHOP_STATES } from './support/shop-states';

const SCREENSHOT_FOLDER = 'e2e/__screenshots__';
/**
 * Matches the names of states with an overlay. Their screenshots show the visible window. Other
 * screenshots show the whole page.
 */
const OVERLAY_STATE_NAMES = /drawer|sheet|help|terms|bank/;
const STATE_NAME_FILTER = new RegExp(process.env.ONLY ?? '');

for (const width of [390, 1280]) {
  for (const { name, show } of SHOP_STATES.filter((state) => STATE_NAME_FILTER.test(state.name))) {
    test(`${name} at ${width}`, async ({ page, request, playwright, baseURL }) => {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 800 });
      await show({ page, request, playwright, baseURL: baseURL ?? '' });
      await waitForAnimations(page);
      await page.screenshot({
        path: `${SCREENSHOT_FOLDER}/${name}-${width}.png`,
        fullPage: !OVERLAY_STATE_NAMES.test(name),
        animations: 'disabled',
      });
    });
  }
}
