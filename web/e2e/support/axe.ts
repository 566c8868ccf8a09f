/** What axe finds on a page, short enough to be read in a failure. */
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Nothing that is half faded in is judged by its colour; what turns for ever is not waited for. */
export const waitForAnimations = (page: Page) =>
  page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((one) => one.effect?.getComputedTiming().iterations !== Infinity)
        .map((one) => one.finished.catch(() => {})),
    ),
  );

export async function violationsOf(page: Page, what: string) {
  await waitForAnimations(page);
  // Only violations are asked for, and in the page itself: no page of ours has a frame of another site. Three times as quick.
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
