import { expect, test, type Browser } from '@playwright/test';
import { drawWithAvailable } from '../support/draws';

/** The slow 4G profile of the design brief: 1.6 Mbit/s and 150 ms latency. */
const LINE = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (750 * 1024) / 8,
};
const SLOWER = 4;
const GOAL_MS = 1_800;
/**
 * Factor by which a measurement may exceed the goal, because other processes use the test machine.
 */
const SLACK = 1.15;

/** Returns the largest contentful paint of the first screen in ms, with an empty browser cache. */
async function largestPaint(browser: Browser, path: string): Promise<number> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', LINE);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  await page.addInitScript(() => {
    Object.assign(window, { largest: 0 });
    new PerformanceObserver((list) =>
      Object.assign(window, { largest: list.getEntries().at(-1)?.startTime ?? 0 }),
    ).observe({ type: 'largest-contentful-paint', buffered: true });
  });
  await page.goto(path, { waitUntil: 'load' });
  // The footer appears once React has rendered, so a larger paint by React is measured too.
  await page.locator('.site-foot').waitFor({ state: 'attached' });
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  );
  const at = await page.evaluate(() => (window as unknown as { largest: number }).largest);
  await context.close();
  expect(at, `${path}: something was painted`).toBeGreaterThan(0);
  return at;
}

test('on slow 4G the largest paint of landing page, draw and club comes within 1.8 s', async ({
  browser,
  request,
}) => {
  test.setTimeout(150_000);
  const draw = await drawWithAvailable(request, 1);
  for (const path of ['/', `/draw/${draw.drawNumber}`, `/club/${draw.clubSlug}`]) {
    const taken = [];
    for (let time = 0; time < 3; time++) taken.push(await largestPaint(browser, path));
    const median = [...taken].sort((one, other) => one - other)[1] ?? Infinity;
    test.info().annotations.push({
      type: 'largest paint',
      description: `${path}: ${taken.map(Math.round).join(', ')} ms, goal ${GOAL_MS}`,
    });
    expect
      .soft(median, `${path}: ${taken.map(Math.round).join(', ')} ms`)
      .toBeLessThanOrEqual(GOAL_MS * SLACK);
  }
});
