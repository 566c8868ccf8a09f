import { screen, waitFor } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { NOW, startConsoleServer, openConsole, pressButton } from '@/testing/console-harness';
import { makeAnomalies, makeTransactions } from '@/testing/operator-data';
import { makeFeesReport } from '@/testing/platform-data';

afterEach(() => vi.unstubAllGlobals());

const shownRowIds = () =>
  [...document.querySelectorAll<HTMLElement>('.ops-table tbody tr[data-id]')].map(
    ({ dataset }) => dataset.id,
  );

test('a payment’s row is found by intent, order, name and address, shown or not', async () => {
  const [, wanted] = makeTransactions(NOW);
  expect(wanted?.customerName).toBe('Robin Buyer 1');
  for (const key of [wanted?.paymentIntentId, wanted?.orderId, wanted?.customerEmail]) {
    startConsoleServer();
    const { unmount } = openConsole('transactions', `&q=${encodeURIComponent(key ?? '')}`);
    await waitFor(() => expect(shownRowIds()).toEqual([wanted?.paymentIntentId]));
    unmount();
  }
  startConsoleServer();
  openConsole('transactions', '&q=Robin%20Buyer%2011');
  await waitFor(() => expect(shownRowIds()).toEqual([makeTransactions(NOW)[11]?.paymentIntentId]));
});

test('an anomaly is found by its id, its payment, its raw type and its draw', async () => {
  const [wanted] = makeAnomalies(NOW);
  for (const [key, count] of [
    [wanted?.id, 1],
    [wanted?.paymentIntentId, 1],
    ['missing_ticket', 3],
    ['FD-1042', 14],
  ] as const) {
    startConsoleServer();
    const { unmount } = openConsole('payments', `&q=${encodeURIComponent(key ?? '')}`);
    await waitFor(() => expect(document.querySelector('.ops-table')).toBeTruthy());
    await waitFor(() => expect(shownRowIds().length).toBe(count));
    if (count === 1) expect(shownRowIds()).toEqual([wanted?.id]);
    unmount();
  }
});

test('refreshing the settings reloads each of them, including the test-draw setting', async () => {
  const server = startConsoleServer();
  openConsole('system');
  await screen.findByRole('switch', { name: 'Maintenance mode' });
  const hidden = () =>
    server.paths().filter((path) => path === 'GET /api/admin/system-settings/hide_test_draws')
      .length;
  await waitFor(() => expect(hidden()).toBeGreaterThan(0));
  const before = hidden();
  await pressButton('Refresh Settings');
  await waitFor(() => expect(hidden()).toBe(before + 1));
});

test('the fee sums say that they include hidden test draws, and say nothing when there are none', async () => {
  const report = makeFeesReport(NOW);
  for (const [numbers, text] of [
    [[1042, 1047], 'These sums include 1 test draw, which the other sections hide.'],
    [[1042], null],
  ] as const) {
    startConsoleServer({
      'GET /api/admin/platform-fees': {
        body: {
          ...report,
          draws: numbers.map((drawNumber) => ({ ...report.draws[0], drawNumber })),
        },
      },
    });
    const { unmount } = openConsole('fees');
    await waitFor(() => expect(shownRowIds().length).toBe(numbers.length));
    if (text) expect(await screen.findByText(text)).toBeTruthy();
    else expect(screen.queryByText(/^These sums include/)).toBeNull();
    unmount();
  }
});
