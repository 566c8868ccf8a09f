import { expect, test, type Browser, type Page } from '@playwright/test';
import { waitForAnimations, findAxeViolations } from '../support/axe';
import { publicScreens, type PublicScreen } from '../support/public-screens';

const SCREEN_GROUPS = [
  'landing',
  'club',
  'draw-',
  'offer-',
  'board-(?!offer)',
  'board-offer|widget',
  'verify',
  'my-|not-found$|thank-you|crash|offline',
];

const PHONE_SIZE = { width: 390, height: 844 };
const DESKTOP_SIZE = { width: 1280, height: 800 };

/**
 * Opens a page in a new browser context, brings it into the required state, and waits until
 * animations end.
 */
async function openScreen(browser: Browser, { path, before, after }: PublicScreen): Promise<Page> {
  const context = await browser.newContext({ viewport: PHONE_SIZE });
  const page = await context.newPage();
  await before?.(page);
  await page.goto(path);
  await page.locator('main').waitFor();
  await expect(page.locator('main[aria-busy="true"]')).toHaveCount(0);
  await after?.(page);
  await waitForAnimations(page);
  return page;
}

/** Returns touch targets smaller than 44 px. Links inside a sentence are exempt. */
const smallTapTargets = (page: Page) =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        'button, a[href], input, select, summary, [role=spinbutton]',
      ),
    ]
      .filter(
        (target) =>
          target.offsetParent !== null &&
          !target.closest('p:not(.contact):not(.closed-foot), li.problem, .problems, .skip') &&
          !target.matches('.skip, [role=spinbutton], .link-btn'),
      )
      .map((target) => ({
        html: target.outerHTML.slice(0, 110),
        box: target.getBoundingClientRect(),
      }))
      .filter(({ box }) => box.width > 0 && (box.height < 43.5 || box.width < 43.5))
      .map(({ html, box }) => `${Math.round(box.width)}×${Math.round(box.height)} ${html}`),
  );

for (const group of SCREEN_GROUPS) {
  test(`no screen of "${group}" has an axe violation, scrolls sideways at 320 or has a target under 44 px`, async ({
    browser,
    request,
  }) => {
    test.setTimeout(300_000);
    const screens = (await publicScreens(request)).filter(({ name }) =>
      new RegExp(`^(${group})`).test(name),
    );
    expect(screens.length).toBeGreaterThan(0);
    const found: object[] = [];
    for (const screen of screens) {
      const page = await openScreen(browser, screen);
      found.push(...(await findAxeViolations(page, `${screen.name} at 390`)));
      if (!screen.board)
        expect.soft(await smallTapTargets(page), `targets of ${screen.name}`).toEqual([]);
      await page.setViewportSize({ width: 320, height: 640 });
      expect
        .soft(
          await page.evaluate(() => document.documentElement.scrollWidth),
          `width of ${screen.name}`,
        )
        .toBeLessThanOrEqual(320);
      await page.setViewportSize(DESKTOP_SIZE);
      found.push(...(await findAxeViolations(page, `${screen.name} at 1280`)));
      await page.context().close();
    }
    expect(found).toEqual([]);
  });
}

test('with the fallback font nothing scrolls sideways at 390 and at 320', async ({
  page,
  request,
}) => {
  await page.route('**/*.woff2', (route) => route.abort());
  const wanted = ['landing', 'club-1', 'draw-closed', 'draw-completed', 'my-ask', 'verify-good'];
  for (const { name, path } of (await publicScreens(request)).filter((screen) =>
    wanted.includes(screen.name),
  )) {
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 });
      await page.goto(path);
      await expect(page.locator('.site-foot')).toBeAttached();
      expect
        .soft(
          await page.evaluate(() => document.documentElement.scrollWidth),
          `${name} at ${width}`,
        )
        .toBeLessThanOrEqual(width);
    }
  }
});
