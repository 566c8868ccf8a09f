import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import {
  startConsoleServer,
  expectToast,
  NOW,
  openConsole,
  pressButton,
  refusalResponse,
} from '@/testing/console-harness';
import { TRANSACTION_SUMS, makeOrderDetail, makeTransactions } from '@/testing/operator-data';
import { makeFeesReport } from '@/testing/platform-data';
import { amountText, percentText, sumText } from '../components/money';
import { moneyOf } from './order-page';
import { delayText, timelineOf } from './order-timeline';

afterEach(() => vi.unstubAllGlobals());

const [FIRST] = makeTransactions(NOW);

test('money is added in cents, negative sums have a minus sign, and an unknown sum is a dash', () => {
  expect([
    sumText(['0.10', '0.20', null]),
    sumText(['5.00', '-7.50']),
    amountText('1234.50'),
    amountText(null),
    amountText(''),
    percentText(350),
    percentText(175),
  ]).toEqual(['$0.30', '−$2.50', '$1,234.50', '–', '–', '3.5%', '1.75%']);
});

test('the sums are the server’s for all successful payments, and the list has the latest twenty', async () => {
  const server = startConsoleServer({
    'GET /api/stripe-debug/sums': { body: { ...TRANSACTION_SUMS, listedMax: 26, count: 11_038 } },
  });
  openConsole('transactions');
  const table = await screen.findByRole('table', { name: 'Transactions' });
  expect(within(table).getAllByRole('row').length).toBe(1 + 20 + 1);
  expect([...document.querySelectorAll('.ops-figure')].map((figure) => figure.textContent)).toEqual(
    [
      'Total Charged$334.18',
      'Refunded$620.26',
      'Stripe Fees$13.20partly estimated',
      'Platform Fees$10.85',
      'Club Payouts−$310.13',
    ],
  );
  expect(
    screen.getByText(
      'The list holds the newest 26 payments; the sums are of all 11038 that succeeded.',
    ),
  ).toBeTruthy();
  await pressButton('Refresh');
  expect(server.paths().filter((path) => path === 'GET /api/stripe-debug/sums')).toHaveLength(2);
  await pressButton(/^Every status/);
  await pressButton('Show all 26');
  expect(within(table).getByText('requires payment method')).toBeTruthy();
});

test('data that cannot be loaded shows an error panel, and a retry loads it', async () => {
  startConsoleServer({ 'GET /api/stripe-debug': [refusalResponse(500, 'No.'), { body: [FIRST] }] });
  openConsole('transactions');
  expect(
    await screen.findByRole('heading', { name: 'Error Loading Stripe Transactions' }),
  ).toBeTruthy();
  await pressButton('Try again');
  expect(await screen.findByRole('table', { name: 'Transactions' })).toBeTruthy();
});

test('a refund requires a reason, and a failed one moves no money', async () => {
  const order = `/api/admin/orders/${FIRST?.orderId}`;
  const server = startConsoleServer({
    'GET /api/stripe-debug': { body: [FIRST] },
    [`GET ${order}`]: {
      body: {
        id: FIRST?.orderId,
        state: 'captured',
        paymentIntentId: 'pi',
        clubName: 'Sharks',
        buyerName: 'Robin',
        buyerEmail: 'r@example.com',
        total: '5.39',
        platformFee: '0.18',
        bankNotices: [],
        lines: [],
        createdAt: '2026-11-21T02:00:00Z',
        refund: null,
        refundable: true,
        whyNot: null,
      },
    },
    [`POST ${order}/refund`]: [
      refusalResponse(503, ''),
      {
        body: {
          orderId: FIRST?.orderId,
          state: 'succeeded',
          amount: '5.39',
          feeReturned: '0.18',
          ticketsVoided: ['FD-1042-001'],
        },
      },
    ],
  });
  openConsole('transactions');
  await pressButton('Details');
  await pressButton('Refund $5.39…');
  await pressButton('Refund $5.39');
  expect(screen.getByText('Give a reason: it stays in the audit trail.')).toBeTruthy();
  expect(
    screen.queryByText('Platform fee given back'),
    'past the cap it may be less, or nothing',
  ).toBeNull();
  expect(server.paths().some((path) => path.startsWith('POST'))).toBe(false);
  await userEvent.type(screen.getByLabelText('Reason'), 'Proven');
  await pressButton('Refund $5.39');
  await expectToast('Refund failed', 'Nothing was refunded. Please try again.');
  await pressButton('Refund $5.39');
  await expectToast('Refunded', '$5.39 goes back; 1 ticket is void.');
});

test('a refund that the provider refused before is requested again and promises no tickets', async () => {
  const order = `/api/admin/orders/${FIRST?.orderId}`;
  const before = {
    state: 'failed',
    amount: '5.39',
    feeReturned: '0.18',
    reason: 'Proven',
    createdAt: null,
  };
  startConsoleServer({
    'GET /api/stripe-debug': { body: [FIRST] },
    [`GET ${order}`]: {
      body: {
        id: FIRST?.orderId,
        state: 'void',
        paymentIntentId: 'pi',
        clubName: 'Sharks',
        buyerName: 'Robin',
        buyerEmail: 'r@example.com',
        total: '5.39',
        platformFee: '0.18',
        bankNotices: [],
        lines: [],
        createdAt: '2026-11-21T02:00:00Z',
        refund: before,
        refundable: true,
        whyNot: null,
      },
    },
    [`POST ${order}/refund`]: {
      body: {
        orderId: FIRST?.orderId,
        state: 'pending',
        amount: '5.39',
        feeReturned: '0.18',
        ticketsVoided: [],
      },
    },
  });
  openConsole('transactions');
  await pressButton('Details');
  await pressButton('Refund $5.39…');
  expect(await screen.findByText(/The provider refused this refund before/)).toBeTruthy();
  await userEvent.type(screen.getByLabelText('Reason'), 'Proven');
  await pressButton('Refund $5.39');
  await expectToast('Refund under way', '$5.39 goes back.');
});

test('a payment that cannot be refunded says why', async () => {
  startConsoleServer({
    'GET /api/stripe-debug': { body: [FIRST] },
    [`GET /api/admin/orders/${FIRST?.orderId}`]: {
      body: {
        id: FIRST?.orderId,
        state: 'void',
        paymentIntentId: 'pi',
        clubName: 'Sharks',
        buyerName: null,
        buyerEmail: null,
        total: '5.39',
        platformFee: '0.18',
        bankNotices: [],
        lines: [],
        createdAt: '2026-11-21T02:00:00Z',
        refund: null,
        refundable: false,
        whyNot: 'This order was never captured.',
      },
    },
  });
  openConsole('transactions');
  await pressButton('Details');
  expect(await screen.findByText('This order was never captured.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^Refund/ })).toBeNull();
});

const ORDER_OUTSIDE_LIST = {
  id: 'o-old',
  state: 'captured',
  paymentIntentId: 'pi_old',
  clubName: 'Sharks',
  buyerName: 'Robin',
  buyerEmail: 'r@example.com',
  buyerPhone: null,
  total: '5.39',
  subtotal: '5.00',
  cardFee: '0.39',
  platformFee: '0.18',
  bankNotices: [],
  createdAt: '2026-08-01T03:00:00Z',
  capturedAt: '2026-08-01T03:01:00Z',
  consented: true,
  lines: [],
  refund: null,
  refundable: true,
  whyNot: null,
};
const openSearchHit = async (text: string) => {
  await userEvent.keyboard('{Control>}k{/Control}');
  await userEvent.type(await screen.findByRole('combobox', { name: /^Search clubs/ }), text);
  await userEvent.click(await screen.findByRole('option', { name: /Robin/ }));
};

test('an order found by search is shown and can be refunded although the payment list lacks it', async () => {
  startConsoleServer({
    'GET /api/admin/search?q=pi_old': {
      body: [
        {
          kind: 'order',
          id: 'o-old',
          title: 'Robin',
          detail: 'r@example.com',
          section: 'transactions',
          key: 'pi_old',
        },
      ],
    },
    'GET /api/admin/orders/o-old': { body: ORDER_OUTSIDE_LIST },
    'POST /api/admin/orders/o-old/refund': {
      body: {
        orderId: 'o-old',
        state: 'succeeded',
        amount: '5.39',
        feeReturned: '0.18',
        ticketsVoided: [],
      },
    },
  });
  openConsole('overview');
  await openSearchHit('pi_old');
  expect(await screen.findByRole('heading', { name: 'Order o-old Paid' })).toBeTruthy();
  expect(await screen.findByRole('link', { name: 'r@example.com' })).toBeTruthy();
  await pressButton('Refund $5.39…');
  await userEvent.type(await screen.findByLabelText('Reason'), 'Proven');
  await pressButton('Refund $5.39');
  await expectToast('Refunded', '$5.39 goes back; 0 tickets are void.');
  expect(screen.queryByText('Nothing matches.')).toBeNull();
});

test('an unpaid order says so, and a listed one opens its payment', async () => {
  startConsoleServer({
    'GET /api/admin/search?q=robin': [
      {
        body: [
          {
            kind: 'order',
            id: 'o-old',
            title: 'Robin',
            detail: 'released',
            section: 'transactions',
            key: 'o-old',
          },
        ],
      },
      {
        body: [
          {
            kind: 'order',
            id: FIRST?.orderId,
            title: 'Robin',
            detail: '',
            section: 'transactions',
            key: FIRST?.paymentIntentId,
          },
        ],
      },
    ],
    'GET /api/admin/orders/o-old': {
      body: {
        ...ORDER_OUTSIDE_LIST,
        state: 'released',
        paymentIntentId: null,
        capturedAt: null,
        refundable: false,
        whyNot: 'This payment was never taken.',
      },
    },
  });
  openConsole('overview');
  await openSearchHit('robin');
  expect(await screen.findByRole('heading', { name: 'Order o-old released' })).toBeTruthy();
  expect(await screen.findByText('This payment was never taken.')).toBeTruthy();
  expect(screen.queryByRole('button', { name: /^Refund/ })).toBeNull();
  await openSearchHit('robin');
  expect(await screen.findByText(`Order ${FIRST?.orderId?.slice(0, 8)}`)).toBeTruthy();
});

test('the fees report states both figures, and a failed PDF shows the specified text', async () => {
  startConsoleServer({
    'GET /api/admin/platform-fees-report': refusalResponse(500, 'No printer.'),
  });
  openConsole('fees');
  expect(await screen.findByText('3.5%, $11.00 a draw')).toBeTruthy();
  expect(screen.getByText('3%, $10.00 a draw')).toBeTruthy();
  await pressButton('Download PDF');
  await expectToast(
    'Download Failed',
    'Unable to download the platform fees report. Please try again.',
  );
});

test('the fees report shows a kick-off in the draw’s own zone, on the same day as elsewhere', async () => {
  const report = makeFeesReport(NOW);
  const draws = [
    { ...report.draws[0], gameDate: '2026-11-20T15:00:00Z', timezone: 'Australia/Perth' },
  ];
  startConsoleServer({ 'GET /api/admin/platform-fees': { body: { ...report, draws } } });
  openConsole('fees');
  expect(
    await screen.findByText('Fri 20 Nov 2026, 11:00\u00a0pm AWST', {
      normalizer: (text) => text,
    }),
  ).toBeTruthy();
});

const CAPTURED_ORDER = makeOrderDetail();

test('an order’s timeline has its steps, its mails and its refund in the order of time', () => {
  const events = timelineOf({
    ...CAPTURED_ORDER,
    refund: {
      state: 'pending',
      amount: '20.00',
      feeReturned: '0.70',
      reason: 'Bought one too many',
      detail: null,
      createdAt: '2026-11-24T07:19:07Z',
    },
  });
  expect(events.map(({ title }) => title)).toEqual([
    'Reserved',
    'Authorised',
    'Allocated',
    'Captured',
    'Tickets mailed',
    'Refund of $20.00 on its way',
  ]);
  expect(events[0]?.text).toBe('Robin held 2 tickets of FD-1004 Barracudas v Taipans.');
  expect(events[2]?.text).toBe('FD-1004-006, FD-1004-007.');
  expect(events[5]?.text).toBe('Reason: “Bought one too many”.');
  expect([38, 29_000, 300_000, 7_200_000, 86_400_000, 172_800_000].map(delayText)).toEqual([
    '+38 ms',
    '+29 s',
    '+5 min',
    '+2 h',
    '+1 day',
    '+2 days',
  ]);
});

test('an order’s money adds up, with and without a refund', () => {
  const cents = (order: Parameters<typeof moneyOf>[0]) =>
    moneyOf(order, undefined).map((term) => term.cents);
  expect(cents(CAPTURED_ORDER)).toEqual([2000, -0, -64, -70, 1866]);
  const refund = {
    state: 'succeeded',
    amount: '20.00',
    feeReturned: '0.70',
    reason: '',
    detail: null,
    createdAt: null,
  };
  expect(cents({ ...CAPTURED_ORDER, refund })).toEqual([2000, -2000, -64, -0, -64]);
  expect(
    cents({ ...CAPTURED_ORDER, refund: { ...refund, state: 'failed', feeReturned: '0.00' } }),
  ).toEqual([2000, -0, -64, -70, 1866]);
});
