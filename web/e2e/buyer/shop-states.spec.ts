import AxeBuilder from '@axe-core/playwright';
import { expect, test, type Page } from '@playwright/test';
import { SHOP_STATES } from '../support/shop-states';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

async function violationsOf(page: Page): Promise<string[]> {
  // Nothing that is half faded in is judged by its colour; what turns for ever is not waited for.
  await page.evaluate(() => Promise.all(document.getAnimations().filter((one) => one.effect?.getComputedTiming().iterations !== Infinity).map((one) => one.finished.catch(() => {}))));
  const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 140)} — ${node.any[0]?.message ?? ''}`));
}

/** Targets a finger must hit; links inside a sentence are exempt (WCAG 2.5.8). */
const smallTargets = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('button, a.btn, header a, footer a, summary, main input:not([readonly])')]
      .filter((target) => target.offsetParent !== null && !target.closest('p') && !target.closest('label button') && !target.closest('label a') && !target.classList.contains('skip'))
      .map((target) => (target instanceof HTMLInputElement && target.type === 'checkbox' ? (target.closest('label') ?? target) : target))
      .map((target) => ({ html: target.outerHTML.slice(0, 100), box: target.getBoundingClientRect() }))
      .filter(({ box }) => box.height < 43.5 || box.width < 43.5)
      .map(({ html, box }) => `${Math.round(box.width)}×${Math.round(box.height)} ${html}`),
  );

/** How far the open dialog, or else the page, reaches beyond its own right edge. */
const overhang = () => {
  const judged = document.querySelector('dialog[open]') ?? document.documentElement;
  return judged.scrollWidth - judged.clientWidth;
};

/** Text at 200 % and nothing else larger (WCAG 1.4.4). */
const doubleText = (page: Page) =>
  page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLElement>('body *')];
    const sizes = all.map((element) => Number.parseFloat(getComputedStyle(element).fontSize));
    all.forEach((element, index) => (element.style.fontSize = `${2 * (sizes[index] ?? 16)}px`));
  });

for (const { name, show } of SHOP_STATES) {
  test(`${name}: nothing for axe to find at 390 and 1280, no sideways scroll, every target big enough`, async ({ page, request, playwright, baseURL }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await show({ page, request, playwright, baseURL: baseURL ?? '' });
    expect.soft(await violationsOf(page), 'axe at 390').toEqual([]);
    expect.soft(await smallTargets(page), 'targets').toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect.soft(await violationsOf(page), 'axe at 1280').toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect.soft(await page.evaluate(() => document.documentElement.scrollWidth), 'sideways at 320').toBeLessThanOrEqual(320);
    await page.setViewportSize({ width: 1280, height: 800 });
    await doubleText(page);
    expect.soft(await page.evaluate(overhang), 'sideways with text twice as large').toBeLessThanOrEqual(0);
  });
}
