import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import {
  startConsoleServer,
  expectToast,
  openConsole,
  pressButton,
  refusalResponse,
} from '@/testing/console-harness';
import { makeAnomaly } from '@/testing/operator-data';
import { refundableAmountText, canRefundPayment } from './anomalies';

afterEach(() => vi.unstubAllGlobals());

const LIST_ANOMALIES_CALL = 'GET /api/admin/payment-anomalies';
const DUPLICATE_ANOMALY = makeAnomaly({ id: 'a-1' });
const MISMATCH_ANOMALY = makeAnomaly({ id: 'a-2', type: 'mismatched_amount' });
const MISSING_TICKET_ANOMALY = makeAnomaly({
  id: 'a-3',
  type: 'missing_ticket',
  customerEmail: 'jo@example.com',
});

test('a duplicate refunds its own payment and leaves the valid order unchanged', async () => {
  const server = startConsoleServer({
    [LIST_ANOMALIES_CALL]: { body: [{ ...DUPLICATE_ANOMALY, orderId: 'o-1' }] },
    'POST /api/admin/payment-anomalies/a-1/refund': {
      body: { ...DUPLICATE_ANOMALY, resolved: true },
    },
  });
  openConsole('payments', '&open=a-1');
  await pressButton('Refund payment');
  const dialog = await screen.findByRole('dialog', { name: 'Refund this payment' });
  await userEvent.type(within(dialog).getByLabelText('Reason'), 'Paid twice');
  await pressButton(/^Refund \$/, dialog);
  await expectToast('Refunded', '$10.47 goes back.');
  expect(server.requests.find(({ path }) => path.endsWith('/refund'))).toMatchObject({
    path: '/api/admin/payment-anomalies/a-1/refund',
    body: { reason: 'Paid twice' },
  });
  expect(server.paths().filter((path) => path.includes('/orders/'))).toEqual([]);
});

test('a refund shows its anomaly as resolved, keeps the others, and requests lists and counts anew', async () => {
  const resolved = {
    ...DUPLICATE_ANOMALY,
    resolved: true,
    resolvedAt: '2026-11-21T03:00:00Z',
    resolvedByName: 'Kim Operator',
  };
  const server = startConsoleServer({
    [LIST_ANOMALIES_CALL]: [
      { body: [DUPLICATE_ANOMALY, MISMATCH_ANOMALY] },
      { body: [resolved, MISMATCH_ANOMALY] },
    ],
    'GET /api/admin/payment-anomalies/stats': [
      { body: { total: 2, resolved: 0, unresolved: 2 } },
      { body: { total: 2, resolved: 1, unresolved: 1 } },
    ],
    'POST /api/admin/payment-anomalies/a-1/refund': [
      refusalResponse(502, 'Stripe does not answer.'),
      { body: resolved },
    ],
  });
  openConsole('payments', '&open=a-1');
  await pressButton('Refund payment');
  const dialog = await screen.findByRole('dialog', { name: 'Refund this payment' });
  const rowText = (id: string) => document.querySelector(`tr[data-id="${id}"]`)?.textContent;
  await userEvent.type(within(dialog).getByLabelText('Reason'), 'Paid twice');
  await pressButton(/^Refund \$/, dialog);
  await expectToast('Refund failed', 'Stripe does not answer.');
  expect(rowText('a-1')).toContain('Needs Action');
  await pressButton(/^Refund \$/, dialog);
  await expectToast('Refunded', '$10.47 goes back.');
  await waitFor(() => expect(rowText('a-1')).toContain('Kim Operator'));
  expect(rowText('a-1')).not.toContain('Needs Action');
  expect(rowText('a-2')).toContain('Needs Action');
  expect(await screen.findByText('1 anomaly needs action', { exact: false })).toBeTruthy();
  expect(screen.queryByRole('dialog', { name: 'Refund this payment' })).toBeNull();
  expect(server.paths().filter((path) => path.endsWith('/a-1/refund'))).toHaveLength(2);
});

test('a full draw offers the refund of the payment, because its order was never captured', async () => {
  const released = {
    ...MISSING_TICKET_ANOMALY,
    customerName: 'Jo',
    customerPhone: '0400 000 000',
    details: {
      note: 'Captured without tickets.',
      orderState: 'released',
      providerStatus: 'succeeded',
    },
  };
  const server = startConsoleServer({
    [LIST_ANOMALIES_CALL]: { body: [released] },
    'POST /api/admin/payment-anomalies/resolve': refusalResponse(
      409,
      'The draw is full. Refund the payment.',
      'draw-full',
      { refundable: true, orderId: 'o-9' },
    ),
    'POST /api/admin/payment-anomalies/a-3/refund': { body: { ...released, resolved: true } },
  });
  openConsole('payments', '&open=a-3');
  await pressButton('Allocate ticket and resolve');
  await expectToast('Failed to resolve anomaly', 'The draw is full. Refund the payment.');
  await pressButton('Refund instead');
  await userEvent.type(await screen.findByLabelText('Reason'), 'The draw was full');
  await pressButton('Refund $10.47');
  await expectToast('Refunded', '$10.47 goes back.');
  expect(server.paths().filter((path) => path.includes('/orders/'))).toEqual([]);
});

test('a payment without an order is refunded directly when its draw cannot take it', async () => {
  startConsoleServer({
    [LIST_ANOMALIES_CALL]: {
      body: [
        {
          ...MISSING_TICKET_ANOMALY,
          orderId: null,
          customerName: 'Jo',
          customerPhone: '0400 000 000',
        },
      ],
    },
    'POST /api/admin/payment-anomalies/resolve': refusalResponse(
      409,
      'The draw is full.',
      'draw-full',
      {
        refundable: true,
      },
    ),
  });
  openConsole('payments', '&open=a-3');
  await pressButton('Allocate ticket and resolve');
  await pressButton('Refund instead');
  expect(await screen.findByRole('dialog', { name: 'Refund this payment' })).toBeTruthy();
});

test('a payment of a void order is refunded directly when the provider refused its refund', async () => {
  const stuck = {
    ...MISMATCH_ANOMALY,
    orderId: 'o-1',
    amount: '0.18',
    details: {
      note: 'the provider refuses to give money back: balance_insufficient',
      orderState: 'void',
      providerReceived: '10.47',
      providerRefunded: '0.00',
    },
  };
  const server = startConsoleServer({
    [LIST_ANOMALIES_CALL]: { body: [stuck] },
    'POST /api/admin/payment-anomalies/a-2/refund': { body: { ...stuck, resolved: true } },
  });
  openConsole('payments', '&open=a-2');
  await pressButton('Refund payment');
  const dialog = await screen.findByRole('dialog', { name: 'Refund this payment' });
  expect(
    within(dialog).getByText(
      'This payment goes back whole, and its order gets no tickets any more. Tickets of any other payment stay as they are. This cannot be undone.',
    ),
  ).toBeTruthy();
  await userEvent.type(within(dialog).getByLabelText('Reason'), 'Promised by phone');
  await pressButton('Refund $10.47', dialog);
  await expectToast('Refunded', '$10.47 goes back.');
  expect(server.paths().filter((path) => path.includes('/orders/'))).toEqual([]);
});

test('an order with tickets is refunded together with its tickets', async () => {
  const order = {
    id: 'o-1',
    state: 'captured',
    paymentIntentId: 'pi',
    clubName: 'Sharks',
    buyerName: null,
    buyerEmail: null,
    total: '10.47',
    platformFee: '0.35',
    bankNotices: [],
    capturedAt: '2026-11-21T02:00:00Z',
    lines: [],
    refund: null,
    refundable: true,
    whyNot: null,
  };
  const server = startConsoleServer({
    [LIST_ANOMALIES_CALL]: { body: [{ ...MISMATCH_ANOMALY, orderId: 'o-1' }] },
    'GET /api/admin/orders/o-1': { body: order },
    'POST /api/admin/orders/o-1/refund': {
      body: {
        orderId: 'o-1',
        state: 'pending',
        amount: '10.47',
        feeReturned: '0.35',
        ticketsVoided: ['FD-1042-001', 'FD-1042-002'],
      },
    },
  });
  openConsole('payments', '&open=a-2');
  await pressButton('Refund payment');
  await userEvent.type(await screen.findByLabelText('Reason'), 'Asked for');
  await pressButton('Refund $10.47');
  await expectToast('Refund under way', '$10.47 goes back; 2 tickets are void.');
  expect(server.paths()).not.toContain('POST /api/admin/payment-anomalies/a-2/refund');
});

test('the refund targets the order while it holds tickets or is refunded, else its payment, if any', () => {
  const itself = (more: Parameters<typeof makeAnomaly>[0]) =>
    canRefundPayment(makeAnomaly({ type: 'mismatched_amount', ...more }));
  const inState = (orderState: string | null) => itself({ details: { orderState } });
  expect(
    ['quoted', 'allocated', 'captured', 'rejecting', 'released', 'void', 'anomaly'].map(inState),
  ).toEqual([true, false, false, true, true, true, true]);
  expect(itself({ type: 'duplicate_payment', details: { orderState: 'captured' } })).toBe(true);
  expect(itself({ orderId: null, details: { orderState: null } })).toBe(true);
  expect(itself({ orderId: null, paymentIntentId: null, details: { orderState: null } })).toBe(
    false,
  );
  expect(
    itself({
      details: { orderState: 'void', providerReceived: '10.47', providerRefunded: '10.47' },
    }),
  ).toBe(false);
});

test('the whole remainder of a payment is refunded, whatever part the anomaly concerns', () => {
  const text = (details: Record<string, unknown>) =>
    refundableAmountText(makeAnomaly({ amount: '0.18', details }));
  expect([
    text({}),
    text({ providerReceived: null, providerRefunded: null }),
    text({ providerReceived: '10.47', providerRefunded: '0.00' }),
    text({ providerReceived: '10.47', providerRefunded: '5.00' }),
    text({ providerReceived: '10.47', providerRefunded: '10.47' }),
  ]).toEqual(['$0.18', '$0.18', '$10.47', '$5.47', '$0.00']);
});
