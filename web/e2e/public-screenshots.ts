import { test } from '@playwright/test';
import { publicScreens } from './support/public-screens';

const SCREENSHOT_FOLDER = 'e2e/__screenshots__';
const WINDOW_SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
];
const BOARD_SIZES = [
  { width: 1920, height: 1080 },
  { width: 1280, height: 720 },
];

test('every public screen and state, each in its own browser context', async ({
  browser,
  request,
}) => {
  test.setTimeout(600_000);
  const wanted = new RegExp(process.env.ONLY ?? '');
  for (const { name, path, before, after, board } of await publicScreens(request)) {
    if (!wanted.test(name)) continue;
    for (const viewport of board ? BOARD_SIZES : WINDOW_SIZES) {
      const context = await browser.newContext({ viewport });
      const page = await context.newPage();
      await before?.(page);
      await page.goto(path);
      await page.locator('main').waitFor();
      await page.waitForTimeout(board ? 900 : 500);
      await after?.(page);
      await page.evaluate(() =>
        Promise.all(
          document.getAnimations().map((animation) => animation.finished.catch(() => {})),
        ),
      );
      await page.screenshot({
        path: `${SCREENSHOT_FOLDER}/${name}-${viewport.width}.png`,
        fullPage: !board && name !== 'club-consent',
      });
      await context.close();
    }
  }
});
