/** Runs the accessibility checker axe on a page, and shortens its findings for failure messages. */
import AxeBuilder from '@axe-core/playwright';
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

export async function findAxeViolations(page: Page, what: string) {
  await waitForAnimations(page);
  // Legacy mode checks the page itself, without frames of other origins. It is three times faster.
  const { violations } = await new AxeBuilder({ page })
    .setLegacyMode(true)
    .options({ runOnly: AXE_RULE_TAGS, resultTypes: ['violations'] })
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
  expect(await findAxeViolations(page, what)).toEqual([]);
}
