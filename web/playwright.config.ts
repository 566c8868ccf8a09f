import { defineConfig } from '@playwright/test';
import { LAUNCH_OPTIONS } from './e2e/support/launch-options';

/**
 * Tests against a running server: `BASE_URL=http://127.0.0.1:8080 npm run e2e`. Uses the system's
 * browser.
 */
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  // The tests share draws, so they run one at a time.
  workers: 1,
  timeout: 60_000,
  // In CI a failed test runs once more, because the browser may have crashed. A test that passes
  // then is reported as flaky.
  retries: process.env.CI ? 1 : 0,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  use: {
    baseURL: process.env.BASE_URL ?? 'http://127.0.0.1:8080',
    timezoneId: 'Australia/Brisbane',
    locale: 'en-AU',
    // Every answer must come from the server. Only `offline.spec.ts` allows the service worker.
    serviceWorkers: 'block',
    // A trace adds a fifth to the run time, so CI records one only for the retry.
    trace: process.env.CI ? 'on-first-retry' : 'retain-on-failure',
    launchOptions: LAUNCH_OPTIONS,
  },
});
