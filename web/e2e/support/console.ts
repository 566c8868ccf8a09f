/**
 * The operator's console with stubbed answers, for states that a server cannot produce on demand.
 */
import type { Page, Route } from '@playwright/test';
import { consoleAnswers } from '../../src/testing/operator-data';

export interface ConsoleResponse {
  status?: number;
  body?: unknown;
}

export type Answers = Record<string, unknown | ((route: Route) => ConsoleResponse)>;

/** Answers every call of the console from the table. Returns the requests in order. */
export async function withConsole(page: Page, more: Answers = {}): Promise<string[]> {
  const asked: string[] = [];
  const table: Answers = { ...consoleAnswers(Date.now()), ...more };
  await page.route('**/api/**', async (route) => {
    const { pathname, search } = new URL(route.request().url());
    const method = route.request().method();
    const answer = table[`${method} ${pathname}${search}`] ?? table[`${method} ${pathname}`];
    asked.push(`${method} ${pathname}`);
    if (answer === undefined) {
      if (/^\/api\/(config|debug-log|footer-menus)/.test(pathname)) return route.continue();
      return route.fulfill({ status: 404, json: { message: 'Not here.', code: 'not-found' } });
    }
    const said: ConsoleResponse =
      typeof answer === 'function'
        ? (answer as (asking: Route) => ConsoleResponse)(route)
        : { body: answer };
    return route.fulfill({ status: said.status ?? 200, json: said.body ?? {} });
  });
  return asked;
}

export const SECTIONS = [
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
] as const;
