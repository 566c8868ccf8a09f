import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { startConsoleServer, NOW, openConsole, pressButton } from '@/testing/console-harness';
import {
  makeAnomaly,
  makeAnomalies,
  makeAdminClubs,
  makeTransactions,
} from '@/testing/operator-data';

const savedFiles: Blob[] = [];
vi.mock('@/shared/save-file', () => ({
  saveFile: ({ content }: { content: Blob }) => void savedFiles.push(content),
}));

afterEach(() => vi.unstubAllGlobals());

const rowCount = () => document.querySelectorAll('.ops-table tbody tr[data-id]').length;
const [PAID] = makeTransactions(NOW);

test.each([
  [
    'payments',
    '&type=failed_allocation',
    { 'GET /api/admin/payment-anomalies': { body: [makeAnomaly()] } },
    'No anomalies.',
  ],
  [
    'payments',
    '&status=resolved&q=zzz',
    { 'GET /api/admin/payment-anomalies': { body: [makeAnomaly()] } },
    'No anomalies.',
  ],
  [
    'clubs',
    '&status=pending',
    { 'GET /api/admin/clubs': { body: makeAdminClubs().slice(0, 1) } },
    'No clubs yet.',
  ],
  [
    'transactions',
    '',
    { 'GET /api/stripe-debug': { body: [{ ...PAID, status: 'requires_payment_method' }] } },
    'No payments in the last 30 days.',
  ],
] as const)(
  'in %s%s a filter that hides every row does not claim an empty list and can be cleared',
  async (section, query, answers, nothing) => {
    startConsoleServer(answers);
    openConsole(section, query);
    expect(await screen.findByText('Nothing matches.')).toBeTruthy();
    expect(screen.queryByText(nothing)).toBeNull();
    expect(screen.getByText('0 of 1 row')).toBeTruthy();
    await pressButton('Clear search and filters');
    await waitFor(() => expect(rowCount()).toBe(1));
  },
);

test('an empty list does not blame a filter', async () => {
  startConsoleServer({ 'GET /api/admin/payment-anomalies': { body: [] } });
  openConsole('payments', '&type=failed_allocation');
  expect(await screen.findByText('No anomalies.')).toBeTruthy();
  expect(screen.queryByText('Nothing matches.')).toBeNull();
});

test.each([
  ['payments', 'Payment anomalies', 10, makeAnomalies(NOW).length],
  [
    'transactions',
    'Transactions',
    20,
    makeTransactions(NOW).filter(({ status }) => status === 'succeeded').length,
  ],
] as const)(
  'the CSV of %s contains every matching row, not only the first ones shown',
  async (section, name, shown, found) => {
    startConsoleServer();
    openConsole(section);
    await screen.findByRole('table', { name });
    expect([rowCount(), found > shown]).toEqual([shown, true]);
    await pressButton('CSV');
    const lines = async () => (await savedFiles.at(-1)?.text())?.trim().split('\r\n');
    expect((await lines())?.length).toBe(1 + found);
    await userEvent.type(
      screen.getByRole('searchbox'),
      section === 'payments' ? 'duplicate' : 'buyer 1',
    );
    const few = await waitFor(() => (expect(rowCount()).toBeLessThan(shown), rowCount()));
    await pressButton('CSV');
    expect((await lines())?.length).toBe(1 + few);
  },
);
