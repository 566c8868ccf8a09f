/** Runs axe on a page and shortens its findings for failure messages. */
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Waits until finite animations end, so that no half-transparent colour is checked. Endless
 * animations are ignored.
 */
export const atRest = (page: Page) =>
  page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
        .map((one) => one.finished.catch(() => {})),
    ),
  );

export async function violationsOf(page: Page, what: string) {
  await atRest(page);
  // Checks violations in the page itself only, which is three times faster. No page has a frame of
  // another site.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode(true)
    .options({ runOnly: RULES, resultTypes: ['violations'] })
    .analyze();
  return violations.map(({ id, nodes }) => ({
    what,
    id,
    nodes: nodes.map(
      (node) =>
        `${node.html.slice(0, 160)} — ${node.any[0]?.message ?? node.failureSummary?.slice(0, 140) ?? ''}`,
    ),
  }));
}

export async function expectNoViolations(page: Page, what: string): Promise<void> {
  expect(await violationsOf(page, what)).toEqual([]);
}
