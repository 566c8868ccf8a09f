import { expect, test, type Page } from '@playwright/test';
import { logIn } from '../support/operator';
import { signedInClubRequest, createTestDraw } from '../support/own-draw';

interface FetchedDraw {
  drawNumber: number;
  ticketsSold: number;
  orphanedTickets: number;
  league: string | null;
}

// All tests share one sign-in, because each authenticator code is valid only once.
test.describe.configure({ mode: 'serial' });

let page: Page;

test.beforeAll(async ({ browser }) => {
  page = await browser.newPage();
  await logIn(page);
});

test.afterAll(() => page.close());

const openSection = async (section: string, title: string) => {
  await page.goto(`/super-admin?section=${section}`);
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
};

const fetchJson = async <Answer>(path: string): Promise<Answer> =>
  (await page.request.get(path)).json() as Promise<Answer>;

test('the overview shows the server’s numbers, and the badge is live', async () => {
  await openSection('overview', 'Overview');
  const sums = await fetchJson<{ ticketsSold: number; totalRevenue: string; platformFees: string }>(
    '/api/admin/analytics',
  );
  const draws = await fetchJson<FetchedDraw[]>('/api/admin/draws');
  const counted = draws.filter(({ league }) => !/test/i.test(league ?? ''));
  expect(counted.reduce((sum, draw) => sum + draw.ticketsSold, 0)).toBe(sums.ticketsSold);
  // The screen subtracts orphaned tickets, which are paid but have no known buyer. They count
  // neither as sold nor as free (decision F-3).
  const orphaned = counted.reduce((sum, draw) => sum + draw.orphanedTickets, 0);
  await expect(page.locator('.ops-figure', { hasText: 'Tickets Sold' }).locator('dd')).toHaveText(
    `${sums.ticketsSold - orphaned}${orphaned > 0 ? `${orphaned} orphaned` : ''}`,
  );
  await expect(page.locator('.ops-sum')).toContainText(
    `$${Number(sums.totalRevenue).toLocaleString('en-AU', { minimumFractionDigits: 2 })}`,
  );
  await expect(page.locator('.ops-live')).toContainText('Live System');
});

test('an anomaly of the demo is resolved manually, and its audit trail names the operator', async () => {
  await openSection('payments', 'Payment Monitor');
  const before = await fetchJson<{ unresolved: number }>('/api/admin/payment-anomalies/stats');
  const row = page
    .locator('[data-row]', { has: page.getByRole('button', { name: 'Mark Resolved' }) })
    .first();
  const id = await row.getAttribute('data-id');
  await row.getByRole('button', { name: 'Mark Resolved' }).click();
  await expect(page.locator('.toast')).toContainText('Anomaly resolved');
  expect(
    (await fetchJson<{ unresolved: number }>('/api/admin/payment-anomalies/stats')).unresolved,
  ).toBe(before.unresolved - 1);
  await page.locator(`[data-id="${id}"]`).getByRole('button', { name: 'Details' }).click();
  await expect(page.locator('.ops-audit li').first()).toContainText(/resolved an anomaly/);
  await expect(page.locator('.ops-chain')).toContainText('is whole');
});

test('a check runs and reports what it found', async () => {
  await openSection('payments', 'Payment Monitor');
  await page.getByRole('button', { name: 'Run Check' }).click();
  // The check requests every payment of the demo from the provider, so it may take many seconds.
  await expect(page.locator('.toast')).toContainText('Check finished', { timeout: 25_000 });
});

test('a club can be archived and restored', async () => {
  await openSection('clubs', 'Club Management');
  await page.locator('[data-row]').last().getByRole('button', { name: 'View Details' }).click();
  const name = await page.getByRole('dialog').getByRole('heading', { level: 2 }).textContent();
  await page.getByRole('button', { name: 'Archive club' }).click();
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await expect(page.locator('.toast')).toContainText(`${name} is archived`);
  await openSection('archived', 'Archived Clubs');
  await page.getByRole('button', { name: 'Restore' }).click();
  await expect(page.locator('.toast')).toContainText(`${name} is restored`);
  await expect(page.getByText('No archived clubs.')).toBeVisible();
});

test('maintenance stops new purchases and ends again', async () => {
  await openSection('system', 'System Controls');
  const toggle = page.getByRole('switch', { name: 'Maintenance mode' });
  for (const [button, on] of [
    ['Begin maintenance', true],
    ['End maintenance', false],
  ] as const) {
    await toggle.click();
    await page.getByRole('button', { name: button }).click();
    await expect(toggle).toHaveAttribute('aria-checked', String(on));
    expect(await fetchJson('/api/maintenance-mode')).toEqual({ maintenanceMode: on });
  }
});

test('a footer menu is created, moved and deleted, and the public footer follows', async () => {
  await openSection('system', 'System Controls');
  await page.getByRole('button', { name: 'New menu' }).click();
  await page.getByLabel('Heading').fill('Rules');
  await page.getByRole('button', { name: 'Create menu' }).click();
  await expect(page.getByRole('heading', { level: 3, name: 'Rules' })).toBeVisible();
  expect(JSON.stringify(await fetchJson('/api/footer-menus'))).toContain('Rules');
  await page.getByRole('button', { name: 'Move Rules up' }).click();
  await expect(page.getByRole('button', { name: 'Move Rules down' })).toBeEnabled();
  await page.getByRole('button', { name: 'Delete Rules', exact: true }).click();
  await page.getByRole('button', { name: 'Really delete Rules' }).click();
  await expect(page.getByRole('heading', { level: 3, name: 'Rules' })).toHaveCount(0);
});

test('the ticket list of a draw has as many rows as tickets sold', async () => {
  await openSection('draws', 'Draw Management');
  const row = page.locator('[data-row]').first();
  const sold = Number(
    (await row.locator('[data-column="ticketsSold"]').textContent())?.split('/')[0],
  );
  await row.click();
  const dialog = page.getByRole('dialog');
  await expect(dialog.locator('.ops-figure', { hasText: 'Sold' }).locator('dd').first()).toHaveText(
    String(sold),
  );
  await expect(dialog.locator('tbody tr')).toHaveCount(sold);
});

test('undoing a result requires the draw’s number and a reason, and the audit trail keeps both', async ({
  playwright,
  baseURL,
}) => {
  const { drawNumber } = await createTestDraw(playwright, baseURL ?? '');
  const { calls } = await signedInClubRequest(playwright, baseURL ?? '');
  const entered = await calls.post(`/api/draws/${drawNumber}/results`, {
    data: { homeFirstTryScorer: 3, awayFirstTryScorer: 5 },
  });
  expect(entered.ok(), await entered.text()).toBe(true);
  await calls.dispose();
  await openSection('draws', 'Draw Management');
  await page.getByRole('button', { name: new RegExp(`^Actions for FD-${drawNumber} `) }).click();
  await page.getByRole('menuitem', { name: /^Undo Results/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Undo Results' });
  await dialog.getByLabel('Reason').fill('Typed the wrong number');
  await dialog.getByLabel(/^Draw number/).fill('1');
  await dialog.getByRole('button', { name: 'Undo Results' }).click();
  await expect(dialog.getByText(`Type the draw number ${drawNumber} to go on.`)).toBeVisible();
  await dialog.getByLabel(/^Draw number/).fill(String(drawNumber));
  await dialog.getByRole('button', { name: 'Undo Results' }).click();
  await expect(page.locator('.toast').filter({ hasText: 'Results undone' })).toContainText(
    `FD-${drawNumber} is now active.`,
  );
  expect(await fetchJson(`/api/draws/${drawNumber}`)).toMatchObject({
    status: 'active',
    homeFirstTryScorer: null,
  });
  expect(
    JSON.stringify(await fetchJson(`/api/admin/audit?object=draw:${drawNumber}&limit=50`)),
  ).toContain('Typed the wrong number');
});

test('a refund requires a reason, and its tickets are on sale again', async ({
  playwright,
  baseURL,
}) => {
  const { drawNumber } = await createTestDraw(playwright, baseURL ?? '', { left: 167 });
  await openSection('transactions', 'Stripe Transactions');
  await page
    .locator('[data-row]', { hasText: `FD-${drawNumber}` })
    .getByRole('button', { name: 'Details' })
    .click();
  await page.getByRole('button', { name: /^Refund/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Refund payment' });
  await dialog.getByLabel('Reason').fill('The buyer asked for it');
  await dialog.getByRole('button', { name: 'Refund $10.00' }).click();
  await expect(
    page.locator('.toast').filter({ hasText: '$10.00 goes back; 2 tickets are void.' }),
  ).toBeVisible();
  await expect
    .poll(async () => (await fetchJson<FetchedDraw>(`/api/draws/${drawNumber}`)).ticketsSold)
    .toBe(0);
});

test('search finds a club by a part of its name', async () => {
  await openSection('overview', 'Overview');
  const [club] = await fetchJson<{ name: string }[]>('/api/admin/clubs');
  await page.keyboard.press('Control+k');
  await page.keyboard.type(club?.name.slice(0, 6) ?? '');
  await expect(page.getByRole('option', { name: club?.name }).first()).toBeVisible();
  await page.keyboard.press('Escape');
});

test('logging out closes the console for the next user', async () => {
  await openSection('overview', 'Overview');
  await page.getByRole('button', { name: 'Logout' }).click();
  await expect(page.locator('.toast')).toContainText('Logged out');
  await expect(page).toHaveURL(/\/admin\/login$/);
  await page.goto('/super-admin');
  await expect(page).toHaveURL(/\/admin\/login$/);
});

test('a club that opens the console is redirected to its own pages', async ({
  browser,
  baseURL,
}) => {
  const other = await browser.newPage();
  const headers = { origin: new URL(baseURL ?? '').origin };
  const mail = 'bayside-barracudas@demo.test';
  expect(
    (
      await other.request.post('/api/clubs/login', {
        headers,
        data: { email: mail, password: 'demo-password' },
      })
    ).ok(),
  ).toBe(true);
  await other.goto('/super-admin');
  await expect(other).not.toHaveURL(/super-admin/);
  await other.close();
});
