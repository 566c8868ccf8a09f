import { expect, test, type Page } from '@playwright/test';
import { makeAnomaly } from '../../src/testing/operator-data';
import { stubConsole } from '../support/console';

const MISMATCH_ANOMALY = makeAnomaly({
  id: 'a-1',
  type: 'mismatched_amount',
  customerEmail: null,
  detectedAt: new Date(Date.now() - 240_000).toISOString(),
});
const DUPLICATE_ANOMALY = makeAnomaly({
  id: 'a-2',
  detectedAt: new Date(Date.now() - 360_000).toISOString(),
});
const MISSING_TICKET_ANOMALY = makeAnomaly({
  id: 'a-3',
  type: 'missing_ticket',
  customerName: 'Jo Martin',
  customerPhone: '0400 000 000',
  detectedAt: new Date(Date.now() - 60_000).toISOString(),
});

/** Answers the console's calls with these anomalies. Returns the ids that were resolved so far. */
async function stubAnomalies(
  page: Page,
  list = [MISMATCH_ANOMALY, DUPLICATE_ANOMALY, MISSING_TICKET_ANOMALY],
): Promise<Set<string>> {
  const done = new Set<string>();
  const resolve = (id: string) => () => {
    done.add(id);
    return { body: { ...MISMATCH_ANOMALY, id, resolved: true } };
  };
  await stubConsole(page, {
    'GET /api/admin/payment-anomalies': () => ({
      body: list.map((anomaly) => ({ ...anomaly, resolved: done.has(anomaly.id) })),
    }),
    'GET /api/admin/payment-anomalies/stats': () => ({
      body: { total: list.length, unresolved: list.length - done.size, resolved: done.size },
    }),
    'POST /api/admin/payment-anomalies/a-1/resolve': resolve('a-1'),
    'POST /api/admin/payment-anomalies/a-2/resolve': resolve('a-2'),
    'POST /api/admin/payment-anomalies/resolve': () => {
      done.add('a-3');
      return {
        body: {
          allocatedTickets: [{ drawNumber: 1042, ticketNumber: 9, serialNumber: 'FD-1042-009' }],
          customerName: 'Jo Martin',
        },
      };
    },
  });
  return done;
}

test('an anomaly is selected and resolved by keyboard alone, and the next unresolved one gets focus', async ({
  page,
}) => {
  const done = await stubAnomalies(page);
  await page.goto('/super-admin');
  await expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible();
  await page.keyboard.press('Control+k');
  await expect(
    page.getByRole('combobox', { name: 'Search clubs, draws, payments and commands' }),
  ).toBeFocused();
  await page.keyboard.type('payment monitor');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Payment Monitor' })).toBeFocused();
  await expect(page.locator('[data-row]')).toHaveCount(3);
  for (let presses = 0; presses < 40; presses += 1) {
    await page.keyboard.press('Tab');
    if (await page.evaluate(() => document.activeElement?.matches('[data-row]'))) break;
  }
  await page.keyboard.press('j');
  await expect(page.locator('[data-id="a-1"]')).toBeFocused();
  await page.keyboard.press('e');
  await expect(page.locator('.toast')).toContainText('Anomaly resolved');
  await expect(page.locator('[data-id="a-2"]')).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(
    page.getByRole('dialog').getByRole('heading', { name: 'Duplicate Payment' }),
  ).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(page.locator('[data-id="a-2"]')).toBeFocused();
  expect([...done]).toEqual(['a-1']);
});

test('resolving takes one action for most anomalies and at most three for a missing ticket', async ({
  page,
}) => {
  const done = await stubAnomalies(page);
  let actions = 0;
  const act = async (name: string, row: string) => {
    actions += 1;
    await page.locator(row).getByRole('button', { name }).click();
  };
  await page.goto('/super-admin?section=payments&status=unresolved');
  await act('Mark Resolved', '[data-id="a-1"]');
  await expect.poll(() => done.has('a-1')).toBe(true);
  expect(actions).toBe(1);
  actions = 0;
  await act('Details', '[data-id="a-3"]');
  await act('Allocate ticket and resolve', '[role="dialog"]');
  await expect(page.locator('.toast')).toContainText('FD-1042-009 is now Jo Martin’s.');
  expect(actions).toBeLessThanOrEqual(3);
  await expect(
    page.getByRole('dialog').getByRole('heading', { name: 'Duplicate Payment' }),
  ).toBeFocused();
});

test('a code is asked for once and submits when it is typed', async ({ page }) => {
  let proven = false;
  const done = await stubAnomalies(page);
  await page.route('**/api/admin/payment-anomalies/a-1/resolve', (route) =>
    proven
      ? route.fallback()
      : route.fulfill({
          status: 403,
          json: { message: 'Confirm it is you to go on.', code: 'reauthentication-required' },
        }),
  );
  await page.route('**/api/admin/reauthenticate', (route) => {
    proven = true;
    return route.fulfill({
      json: { reauthenticatedUntil: new Date(Date.now() + 600_000).toISOString() },
    });
  });
  await page.goto('/super-admin?section=payments');
  await page.locator('[data-id="a-1"]').getByRole('button', { name: 'Mark Resolved' }).click();
  await expect(page.getByLabel('Six-digit code')).toBeFocused();
  await page.keyboard.type('123456');
  await expect.poll(() => done.has('a-1')).toBe(true);
});

test('a link opens the same filtered list, and a phone shows it as cards with a drawer', async ({
  page,
}) => {
  await stubAnomalies(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/super-admin?section=payments&status=unresolved&type=duplicate_payment');
  await expect(page.locator('[data-row]')).toHaveCount(1);
  await page.getByRole('button', { name: 'Sections' }).click();
  await page
    .getByRole('dialog')
    .getByRole('link', { name: /Waitlist/ })
    .click();
  await expect(page.getByRole('heading', { level: 1, name: 'Waitlist' })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/type=duplicate_payment/);
  await page.locator('[data-row]').getByRole('button', { name: 'Mark Resolved' }).click();
  await expect(page.locator('.toast')).toContainText('Anomaly resolved');
});

test('the CSV contains the rows that are shown', async ({ page }) => {
  await stubAnomalies(page);
  await page.goto('/super-admin?section=payments&type=duplicate_payment');
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'CSV' }).click(),
  ]);
  expect(file.suggestedFilename()).toMatch(/^payment-anomalies-\d{4}-\d\d-\d\d\.csv$/);
  const text = await (await import('node:fs/promises')).readFile(await file.path(), 'utf8');
  expect(text.trim().split('\r\n').length).toBe(2);
  expect(text).toContain('Duplicate Payment,jo.martin@example.com,pi_3QdemoAAAA21Xk,$10.47');
});
