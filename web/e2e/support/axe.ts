/** What axe finds on a page, short enough to be read in a failure. */
import AxeBuilder from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

export async function violationsOf(page: Page, what: string) {
  // Nothing that is half faded in is judged by its colour.
  await page.evaluate(() => Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {}))));
  const { violations } = await new AxeBuilder({ page }).withTags(RULES).analyze();
  return violations.map(({ id, nodes }) => ({ what, id, nodes: nodes.map((node) => `${node.html.slice(0, 160)} — ${node.any[0]?.message ?? ''}`) }));
}

export async function expectNoViolations(page: Page, what: string): Promise<void> {
  expect(await violationsOf(page, what)).toEqual([]);
}
