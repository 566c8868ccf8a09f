import type { Page } from '@playwright/test';

/**
 * Waits until React has replaced the server's markup, whose buttons do nothing yet. Only React
 * renders the footer. Needed before a test presses or counts what the server's markup also has.
 */
export const waitUntilStarted = (page: Page): Promise<void> =>
  page.locator('.site-foot').waitFor({ state: 'attached' });

export async function openStartedPage(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await waitUntilStarted(page);
}
