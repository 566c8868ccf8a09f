import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { aServer, NOW, openConsole, press } from '@/testing/a-console';
import { anAnomaly, anomalies, clubs, transactions } from '@/testing/operator-data';

const saved: Blob[] = [];
vi.mock('@/shared/save-file', () => ({
  saveFile: ({ content }: { content: Blob }) => void saved.push(content),
}));

afterEach(() => vi.unstubAllGlobals());

const rows = () => document.querySelectorAll('.ops-table tbody tr[data-id]').length;
const [PAID] = transactions(NOW);

test.each([
  [
    'payments',
    '&type=failed_allocation',
    { 'GET /api/admin/payment-anomalies': { body: [anAnomaly()] } },
    'No anomalies.',
  ],
  [
    'payments',
    '&status=resolved&q=zzz',
    { 'GET /api/admin/payment-anomalies': { body: [anAnomaly()] } },
    'No anomalies.',
  ],
  [
    'clubs',
    '&status=pending',
    { 'GET /api/admin/clubs': { body: clubs().slice(0, 1) } },
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
    aServer(answers);
    openConsole(section, query);
    expect(await screen.findByText('Nothing matches.')).toBeTruthy();
    expect(screen.queryByText(nothing)).toBeNull();
    expect(screen.getByText('0 of 1 row')).toBeTruthy();
    await press('Clear search and filters');
    await waitFor(() => expect(rows()).toBe(1));
  },
);

test('an empty list does not blame a filter', async () => {
  aServer({ 'GET /api/admin/payment-anomalies': { body: [] } });
  openConsole('payments', '&type=failed_allocation');
  expect(await screen.findByText('No anomalies.')).toBeTruthy();
  expect(screen.queryByText('Nothing matches.')).toBeNull();
});

test.each([
  ['payments', 'Payment anomalies', 10, anomalies(NOW).length],
  [
    'transactions',
    'Transactions',
    20,
    transactions(NOW).filter(({ status }) => status === 'succeeded').length,
  ],
] as const)(
  'the CSV of %s contains every matching row, not only the first ones shown',
  async (section, name, shown, found) => {
    aServer();
    openConsole(section);
    await screen.findByRole('table', { name });
    expect([rows(), found > shown]).toEqual([shown, true]);
    await press('CSV');
    const lines = async () => (await saved.at(-1)?.text())?.trim().split('\r\n');
    expect((await lines())?.length).toBe(1 + found);
    await userEvent.type(
      screen.getByRole('searchbox'),
      section === 'payments' ? 'duplicate' : 'buyer 1',
    );
    const few = await waitFor(() => (expect(rows()).toBeLessThan(shown), rows()));
    await press('CSV');
    expect((await lines())?.length).toBe(1 + few);
  },
);
