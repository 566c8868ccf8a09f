/**
 * Shows the operator's console with stubbed answers, for states that a server cannot produce on
 * demand.
 */
import type { Page, Route } from '@playwright/test';
import { makeConsoleResponses } from '../../src/testing/operator-data';

export interface ConsoleResponse {
  status?: number;
  body?: unknown;
}

export type ConsoleStubs = Record<string, unknown | ((route: Route) => ConsoleResponse)>;

/**
 * Answers the console's API calls from a table of stubs. Calls without a stub get a 404, except a
 * few that reach the server. Returns the list of requests, which grows with each call.
 */
export async function stubConsole(page: Page, more: ConsoleStubs = {}): Promise<string[]> {
  const requests: string[] = [];
  const table: ConsoleStubs = { ...makeConsoleResponses(Date.now()), ...more };
  await page.route('**/api/**', async (route) => {
    const { pathname, search } = new URL(route.request().url());
    const method = route.request().method();
    const answer = table[`${method} ${pathname}${search}`] ?? table[`${method} ${pathname}`];
    requests.push(`${method} ${pathname}`);
    if (answer === undefined) {
      if (/^\/api\/(config|debug-log|footer-menus)/.test(pathname)) return route.continue();
      return route.fulfill({ status: 404, json: { message: 'Not here.', code: 'not-found' } });
    }
    const response: ConsoleResponse =
      typeof answer === 'function'
        ? (answer as (asking: Route) => ConsoleResponse)(route)
        : { body: answer };
    return route.fulfill({ status: response.status ?? 200, json: response.body ?? {} });
  });
  return requests;
}

export const CONSOLE_SECTIONS = [
  'overview',
  'clubs',
  'archived',
  'waitlist',
  'draws',
  'payments',
  'orphans',
  'transactions',
  'system',
  'fees',
  'activity',
] as const;
