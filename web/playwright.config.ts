import { defineConfig } from '@playwright/test';

/** Tests against a running server: `BASE_URL=http://127.0.0.1:8080 npm run e2e`. The browser is the system's own. */
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  // Draws are shared between the tests; one at a time keeps what each of them sees its own.
  workers: 1,
  timeout: 60_000,
  // Unattended, a stumble of the browser itself is tried once more and named as flaky.
  retries: process.env.CI ? 1 : 0,
  expect: { timeout: 10_000 },
  reporter: [['list']],
  use: {
    baseURL: process.env.BASE_URL ?? 'http://127.0.0.1:8080',
    timezoneId: 'Australia/Brisbane',
    locale: 'en-AU',
    // Every test meets the server itself; only `offline.spec.ts` lets the worker in.
    serviceWorkers: 'block',
    // A trace costs a fifth of the time; unattended, only what is tried once more leaves one.
    trace: process.env.CI ? 'on-first-retry' : 'retain-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu'],
    },
  },
});
