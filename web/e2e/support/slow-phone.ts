import type { Browser, CDPSession, Page } from '@playwright/test';

/** The slow 4G profile of the design brief: 1.6 Mbit/s download and 150 ms latency. */
const SLOW_4G = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (750 * 1024) / 8,
};
const CPU_SLOWDOWN = 4;

/**
 * Opens an empty page of a new context with a phone's size, a slow network and a slow processor.
 * The caller closes the context.
 */
export async function openSlowPhone(
  browser: Browser,
): Promise<{ page: Page; session: CDPSession }> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    deviceScaleFactor: 2,
  });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', SLOW_4G);
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  return { page, session };
}

/** Returns the middle one of an odd number of measurements. */
export const medianOf = (taken: number[]): number =>
  [...taken].sort((one, other) => one - other)[(taken.length - 1) / 2] ?? Infinity;
