import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { buyByCard, expectTickets, payButton, somebody } from '../support/buyer';
import { drawWith } from '../support/draws';
import { screens } from '../support/screens';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
];

async function violationsOf(page: Page, what: string) {
  // Nothing that is half faded in is judged by its colour.
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {}))));
  const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
  return violations.map(({ id, nodes }) => ({ what, id, nodes: nodes.map((node) => `${node.html.slice(0, 160)} — ${node.any[0]?.message ?? ''}`) }));
}

async function expectNoViolations(page: Page, what: string): Promise<void> {
  expect(await violationsOf(page, what)).toEqual([]);
}

async function ready(page: Page): Promise<void> {
  await expect(page.locator('h1').first()).toBeAttached();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
}

for (const size of SIZES) {
  test(`no screen has an axe violation at ${size.width}`, async ({ page, request }) => {
    test.setTimeout(180_000);
    await page.setViewportSize(size);
    const found = [];
    for (const { name, path } of await screens(request)) {
      await page.goto(path);
      await ready(page);
      found.push(...(await violationsOf(page, name)));
    }
    expect(found).toEqual([]);
  });

  test(`the form’s problems, the terms and the tickets have no axe violation at ${size.width}`, async ({ page, request }) => {
    await page.setViewportSize(size);
    const draw = await drawWith(request, 3);
    await page.goto(`/draw/${draw.drawNumber}`);
    await payButton(page).click({ force: true });
    await expect(page.locator('.problems')).toBeFocused();
    await expect(page).toHaveTitle(/^Error: /);
    await expectNoViolations(page, 'problems');
    await page.getByRole('button', { name: 'Terms of Sale' }).click();
    await expect(page.getByRole('dialog', { name: 'Terms of Sale' })).toBeVisible();
    await expectNoViolations(page, 'terms');
    await page.keyboard.press('Escape');
    await buyByCard(page, draw.drawNumber, 1, somebody());
    await expectTickets(page, 1);
    await expectNoViolations(page, 'thank-you');
    await page.getByRole('link', { name: 'My tickets' }).click();
    await expect(page.locator('.ticket')).toHaveCount(1);
    await expectNoViolations(page, 'my tickets');
  });
}

test('nothing scrolls sideways at 320, and every target on a phone is 44 px', async ({ page, request }) => {
  test.setTimeout(120_000);
  for (const { name, path } of await screens(request)) {
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(path);
    await ready(page);
    expect.soft(await page.evaluate(() => document.documentElement.scrollWidth), name).toBeLessThanOrEqual(320);
    await page.setViewportSize({ width: 390, height: 844 });
    const small = await page.evaluate(() =>
      [...document.querySelectorAll<HTMLElement>('main button, main a.btn, header a, header button, footer a, main input[type=checkbox]')]
        .filter((target) => target.offsetParent !== null && !target.closest('p') && !target.classList.contains('link-btn'))
        .map((target) => (target instanceof HTMLInputElement ? target.closest('label') ?? target : target))
        .map((target) => ({ html: target.outerHTML.slice(0, 100), box: target.getBoundingClientRect() }))
        .filter(({ box }) => box.height < 43.5 || box.width < 43.5)
        .map(({ html, box }) => `${Math.round(box.width)}×${Math.round(box.height)} ${html}`),
    );
    expect.soft(small, name).toEqual([]);
  }
});
