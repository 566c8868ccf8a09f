/** Runs the accessibility checker axe on a page, and shortens its findings for failure messages. */
import axe from 'axe-core';
import { expect, type Page } from '@playwright/test';

const AXE_RULE_TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Waits until animations end, so that axe checks no half-transparent text. Endless animations are
 * ignored.
 */
export const waitForAnimations = (page: Page) =>
  page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
        .map((one) => one.finished.catch(() => {})),
    ),
  );

/**
 * A long list repeats one component. Its first items and those beyond them differ in nothing that axe
 * checks, and hundreds of elements cost axe seconds.
 */
const LATER_LIST_ITEMS = '.draw-grid > :nth-child(n + 7)';

/**
 * Runs axe and returns its violations. The script stays in the page, so that the second window size of
 * a page does not load it again.
 */
export async function findAxeViolations(page: Page, what: string) {
  // The bar at the bottom of a phone covers parts of targets, except at the end of the page.
  await page.evaluate(() => {
    if (document.querySelector('.sticky-bar')) window.scrollTo(0, document.body.scrollHeight);
  });
  await waitForAnimations(page);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const violations = await page.evaluate(
    async ({ tags, exclude }) => {
      const { axe: checker } = window as unknown as { axe: typeof axe };
      const results = await checker.run(
        { exclude },
        { runOnly: tags, resultTypes: ['violations'] },
      );
      return results.violations.map(({ id, nodes }) => ({
        id,
        nodes: nodes.map(
          (node) =>
            `${node.html.slice(0, 160)} — ${node.any[0]?.message ?? node.failureSummary?.slice(0, 140) ?? ''}`,
        ),
      }));
    },
    { tags: AXE_RULE_TAGS, exclude: [LATER_LIST_ITEMS] },
  );
  return violations.map((violation) => ({ what, ...violation }));
}

export async function expectNoViolations(page: Page, what: string): Promise<void> {
  expect(await findAxeViolations(page, what)).toEqual([]);
}
