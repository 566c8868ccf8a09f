import { expect, test, type Page } from '@playwright/test';
import { findAxeViolations } from '../support/axe';
import { clubScreens, fetchDemoClub, waitUntilLoaded, signIn } from '../support/club';
import { findDrawWithTickets } from '../support/draws';
import { SHOP_STATES } from '../support/shop-states';

/**
 * Returns the touch targets that are smaller than 44 px. Links inside a sentence are exempt (WCAG
 * 2.5.8).
 */
const smallTapTargets = (page: Page) =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll<HTMLElement>(
        'button, a.btn, header a, footer a, summary, main input:not([readonly])',
      ),
    ]
      .filter(
        (target) =>
          target.offsetParent !== null &&
          !target.closest('p') &&
          !target.closest('label button') &&
          !target.closest('label a') &&
          !target.classList.contains('skip'),
      )
      .map((target) =>
        target instanceof HTMLInputElement && target.type === 'checkbox'
          ? (target.closest('label') ?? target)
          : target,
      )
      .map((target) => ({
        html: target.outerHTML.slice(0, 100),
        box: target.getBoundingClientRect(),
      }))
      .filter(({ box }) => box.height < 43.5 || box.width < 43.5)
      .map(({ html, box }) => `${Math.round(box.width)}×${Math.round(box.height)} ${html}`),
  );

/**
 * Returns by how many pixels the content is wider than the open dialog, or than the page if no
 * dialog is open.
 */
const horizontalOverflowPx = () => {
  const judged = document.querySelector('dialog[open]') ?? document.documentElement;
  return judged.scrollWidth - judged.clientWidth;
};

/** Returns the pairs of header elements that overlap. */
const overlappingHeaderParts = () => {
  const all = [
    ...document.querySelectorAll<HTMLElement>('.skip, .site-head .brand, .site-nav > *'),
  ].filter((part) => part.offsetParent !== null);
  const boxes = all.map((part) => ({
    name: part.textContent || part.className,
    ...(part.getBoundingClientRect().toJSON() as DOMRect),
  }));
  return boxes.flatMap((one, index) =>
    boxes
      .slice(index + 1)
      .filter(
        (other) =>
          one.left < other.right &&
          other.left < one.right &&
          one.top < other.bottom &&
          other.top < one.bottom,
      )
      .map((other) => `${one.name} / ${other.name}`),
  );
};

/** Doubles the font size of every element (WCAG 1.4.4). */
const doubleFontSizes = (page: Page) =>
  page.evaluate(() => {
    const all = [...document.querySelectorAll<HTMLElement>('body *')];
    const sizes = all.map((element) => Number.parseFloat(getComputedStyle(element).fontSize));
    all.forEach((element, index) => (element.style.fontSize = `${2 * (sizes[index] ?? 16)}px`));
  });

for (const { name, show } of SHOP_STATES) {
  test(`${name}: no axe violation at 390 and 1280, no sideways scroll and no small target`, async ({
    page,
    request,
    playwright,
    baseURL,
  }) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await show({ page, request, playwright, baseURL: baseURL ?? '' });
    expect.soft(await findAxeViolations(page, name), 'axe at 390').toEqual([]);
    expect.soft(await smallTapTargets(page), 'targets').toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect.soft(await findAxeViolations(page, name), 'axe at 1280').toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    expect
      .soft(await page.evaluate(() => document.documentElement.scrollWidth), 'sideways at 320')
      .toBeLessThanOrEqual(320);
    await page.setViewportSize({ width: 1280, height: 800 });
    await doubleFontSizes(page);
    expect
      .soft(await page.evaluate(horizontalOverflowPx), 'sideways with text twice as large')
      .toBeLessThanOrEqual(0);
  });
}

test('with doubled text no public page scrolls sideways on a phone, and no header overlaps', async ({
  page,
  request,
  baseURL,
}) => {
  test.setTimeout(60_000);
  await page.setViewportSize({ width: 390, height: 844 });
  const draw = await findDrawWithTickets(request, 1);
  const look = async (path: string) => {
    await page.goto(path);
    await waitUntilLoaded(page);
    await doubleFontSizes(page);
    expect.soft(await page.evaluate(horizontalOverflowPx), path).toBeLessThanOrEqual(0);
    expect.soft(await page.evaluate(overlappingHeaderParts), path).toEqual([]);
  };
  for (const path of ['/', `/club/${draw.clubSlug}`, `/draw/${draw.drawNumber}`]) await look(path);
  const club = await fetchDemoClub(page);
  await signIn(page, baseURL ?? '', club);
  for (const { path } of (await clubScreens(page, club)).filter(({ name }) =>
    /dashboard|result/.test(name),
  ))
    await look(path);
});
