import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { makeWhoami, makePageContext } from '@/testing/club-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { StripeRefreshPage } from './connect-refresh';
import { StripeReturnPage } from './connect-return';
import { PaymentMonitoringPage } from './payment-monitoring';
import { StripeDebugPage } from './stripe-debug';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const STRIPE_SUMS_CALL = 'GET /api/stripe-debug/sums';
const CONNECT_STATUS_CALL = 'GET /api/clubs/1/stripe-connect/status';
const advanceTime = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const pageTitle = () => screen.getByRole('heading', { level: 1 }).textContent;

test('the return page polls every two seconds until the provider has confirmed', async () => {
  vi.useFakeTimers();
  const server = new FakeServer().on(
    CONNECT_STATUS_CALL,
    { body: { connected: false } },
    { body: { connected: false } },
    { body: { connected: true } },
  );
  renderScreen(<StripeReturnPage here={makePageContext()} />, '/admin/stripe-connect/complete');
  await advanceTime(0);
  expect(pageTitle()).toBe('Checking Connection...');
  await advanceTime(2_000);
  expect(server.requests).toHaveLength(2);
  await advanceTime(2_000);
  expect(pageTitle()).toBe('Setup Complete!');
  expect(screen.getByRole('link', { name: 'Return to Dashboard' }).getAttribute('href')).toBe(
    '/admin',
  );
});

test('without a confirmation the return page says so after ten seconds and stops polling after a minute', async () => {
  vi.useFakeTimers();
  const server = new FakeServer().on(CONNECT_STATUS_CALL, { body: { connected: false } });
  renderScreen(<StripeReturnPage here={makePageContext()} />, '/admin/stripe-connect/complete');
  await advanceTime(10_000);
  expect(pageTitle()).toBe('Setup Incomplete');
  await advanceTime(52_000);
  expect(screen.getByText(/We have stopped asking/)).toBeTruthy();
  const asked = server.requests.length;
  await advanceTime(20_000);
  expect(server.requests.length).toBe(asked);
});

test('the refresh page requests a new link automatically', async () => {
  const server = new FakeServer().on('POST /api/clubs/1/stripe-connect', {
    status: 502,
    body: { code: 'setup-failed', message: 'Setup failed' },
  });
  renderScreen(<StripeRefreshPage here={makePageContext()} />, '/admin/stripe-connect/refresh');
  expect(screen.getByRole('link', { name: 'Return to Dashboard' }).getAttribute('href')).toBe(
    '/admin',
  );
  expect(await screen.findByText('Setup failed')).toBeTruthy();
  expect(server.paths()).toEqual(['POST /api/clubs/1/stripe-connect']);
});

test('while the new link is requested the refresh page says so and requests it only once', async () => {
  let answer: (value: Response) => void = () => {};
  const ask = vi.fn(() => new Promise<Response>((resolve) => (answer = resolve)));
  vi.stubGlobal('fetch', ask);
  renderScreen(<StripeRefreshPage here={makePageContext()} />, '/admin/stripe-connect/refresh');
  expect(screen.getByRole('status').textContent).toBe('Setting up...');
  const button = screen.getByRole('button', { name: 'Setting up...' });
  expect(button.getAttribute('aria-disabled')).toBe('true');
  await userEvent.click(button);
  expect(ask).toHaveBeenCalledTimes(1);
  await act(async () =>
    answer(
      new Response(
        JSON.stringify({
          message: 'Stripe Platform Setup Required',
          code: 'setup-required',
          setupRequired: true,
        }),
        { status: 503 },
      ),
    ),
  );
  expect(await screen.findByText('Stripe Platform Setup Required')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Continue setup' })).toBeTruthy();
});

test('the audit shows its sums and can be refreshed and downloaded', async () => {
  const audit = {
    failedPayments: [
      {
        paymentIntentId: 'pi_1',
        amount: 1047,
        created: 1_795_000_000,
        status: 'requires_payment_method',
        metadata: { drawId: 1042, ticketCount: 2, paymentMethod: 'card' },
      },
    ],
    failedCount: 2001,
    totalFailedAmount: 1047,
    affectedCustomers: 1,
  };
  const server = new FakeServer()
    .on('GET /api/admin/whoami', { body: makeWhoami() })
    .on('GET /api/admin/payment-integrity-audit', { body: audit });
  renderScreen(<PaymentMonitoringPage />, '/admin/payment-monitoring');
  expect(await screen.findByText('pi_1')).toBeTruthy();
  expect(screen.getByText('Failed Payments').nextSibling?.textContent).toBe('2001');
  expect(screen.getByText('The newest 1 are listed.')).toBeTruthy();
  expect(screen.getAllByText('$10.47').length).toBe(2);
  expect(screen.getByText(/Draw 1042 · 2 tickets · card/)).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Refresh Audit' }));
  await waitFor(() =>
    expect(server.paths().filter((path) => path.includes('audit'))).toHaveLength(2),
  );
  await userEvent.click(screen.getByRole('button', { name: 'Download Report' }));
  expect(await screen.findByText('Download Failed')).toBeTruthy();
  expect(screen.getByText('Unable to download the report. Please try again.')).toBeTruthy();
  expect(screen.getAllByText(/^(Total Amount|Affected Customers)$/)).toHaveLength(2);
  expect(
    within(screen.getByRole('region', { name: 'Safeguards' })).getAllByRole('listitem'),
  ).toHaveLength(4);
});

test('a failed refresh of the audit or the transactions shows an error and keeps the data', async () => {
  new FakeServer()
    .on('GET /api/admin/whoami', { body: makeWhoami() })
    .on(
      'GET /api/admin/payment-integrity-audit',
      { body: { failedPayments: [], failedCount: 0, totalFailedAmount: 0, affectedCustomers: 0 } },
      { status: 500 },
    )
    .on('GET /api/stripe-debug', { body: [] }, { status: 500 }, { body: [] })
    .on(STRIPE_SUMS_CALL, { body: {} });
  const { unmount } = renderScreen(<PaymentMonitoringPage />, '/admin/payment-monitoring');
  await screen.findByText('None.');
  await userEvent.click(screen.getByRole('button', { name: 'Refresh Audit' }));
  expect(await screen.findByText('Refresh Failed')).toBeTruthy();
  expect(screen.getByText('None.')).toBeTruthy();
  unmount();
  renderScreen(<StripeDebugPage />, '/admin/stripe-debug');
  await screen.findByText('No payments yet.');
  await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
  expect(await screen.findByText('Refresh Failed')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
  expect(await screen.findByText('Transactions refreshed')).toBeTruthy();
});

test('a guest reads on both payment pages that a login is required', async () => {
  new FakeServer()
    .on('GET /api/admin/whoami', { status: 401 })
    .on('GET /api/admin/payment-integrity-audit', { status: 401 })
    .on('GET /api/stripe-debug', { status: 401 })
    .on(STRIPE_SUMS_CALL, { status: 401 });
  const { unmount } = renderScreen(<PaymentMonitoringPage />, '/admin/payment-monitoring');
  expect(await screen.findByText('Please log in to access this page.')).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Logout' })).toBeNull());
  unmount();
  renderScreen(<StripeDebugPage />, '/admin/stripe-debug');
  expect(await screen.findByText('Error Loading Transactions')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Login' }).getAttribute('href')).toBe(
    '/admin/login?next=%2Fadmin%2Fstripe-debug',
  );
});

test('transactions show their sums, with prize pools of zero, and are polled every thirty seconds', async () => {
  vi.useFakeTimers();
  const one = {
    paymentIntentId: 'pi_1',
    status: 'succeeded',
    createdAt: '2026-11-18T11:06:40Z',
    customerCharged: '10.47',
    stripeFees: '0.48',
    platformFee: '0.35',
    clubPayout: '9.64',
    customerName: 'Robin',
    lines: [{ drawNumber: 1042 }, { drawNumber: 1043 }],
  };
  const answer = [
    one,
    {
      ...one,
      paymentIntentId: 'pi_2',
      customerCharged: '5.00',
      clubPayout: '-0.40',
      lines: [],
      refundNote: 'Add funds in Stripe.',
    },
    { ...one, paymentIntentId: 'pi_3', status: 'canceled' },
  ];
  const sums = {
    count: 7001,
    listedMax: 3,
    totalCharged: '15.47',
    stripeFees: '0.96',
    platformFees: '0.70',
    clubPayouts: '-9.24',
    refunded: '23.05',
    prizePools: '0.00',
    feesEstimated: false,
  };
  const server = new FakeServer()
    .on('GET /api/admin/whoami', { body: makeWhoami() })
    .on('GET /api/stripe-debug', { body: answer })
    .on(STRIPE_SUMS_CALL, { body: sums });
  renderScreen(<StripeDebugPage />, '/admin/stripe-debug');
  await advanceTime(0);
  expect(screen.getByText('1042, 1043')).toBeTruthy();
  expect(screen.getByText(/^Refund:/).textContent).toBe('Refund: Add funds in Stripe.');
  expect(screen.getAllByRole('definition').map((value) => value.textContent)).toEqual([
    '$15.47',
    '$0.96',
    '$0.70',
    '$23.05',
    '−$9.24',
    '$0.00',
  ]);
  expect(
    screen.getByText(
      'The list holds the newest 3 payments; the sums are of all 7001 that succeeded.',
    ),
  ).toBeTruthy();
  await advanceTime(30_000);
  expect(server.paths().filter((path) => path.includes('stripe-debug'))).toHaveLength(4);
});

test('disputed payments are listed by themselves, and a list without any says so', async () => {
  const payment = {
    paymentIntentId: 'pi_1',
    status: 'succeeded',
    createdAt: '2026-11-18T11:06:40Z',
    customerCharged: '10.47',
    stripeFees: '0.48',
    platformFee: '0.35',
    clubPayout: '9.64',
    customerName: 'Robin',
    disputed: false,
    lines: [{ drawNumber: 1042 }],
  };
  const disputed = {
    ...payment,
    paymentIntentId: 'pi_2',
    customerName: 'Sam',
    disputed: true,
    lines: [{ drawNumber: 1043 }],
  };
  new FakeServer()
    .on('GET /api/admin/whoami', { body: makeWhoami() })
    .on('GET /api/stripe-debug', { body: [payment, disputed] }, { body: [payment] })
    .on(STRIPE_SUMS_CALL, { body: {} });
  renderScreen(<StripeDebugPage />, '/admin/stripe-debug#disputes');
  const list = within(await screen.findByRole('region', { name: 'Disputed payments' }));
  expect(list.getByText('Sam')).toBeTruthy();
  expect(list.queryByText('Robin')).toBeNull();
  const section = document.querySelector('#disputes');
  expect(section?.textContent).toContain('Answer at Stripe; the tickets stay valid meanwhile.');
  const whole = within(screen.getByRole('region', { name: 'Transactions of the last 30 days' }));
  expect([whole.getByText('Sam'), whole.getByText('Robin')]).toHaveLength(2);
  await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
  expect(await screen.findByText('No buyer’s bank disputes a payment.')).toBeTruthy();
  expect(screen.queryByRole('region', { name: 'Disputed payments' })).toBeNull();
});

test('the newest hundred of thousands of transactions are rendered, and all on request', async () => {
  const row = (number: number) => ({
    paymentIntentId: `pi_${number}`,
    status: 'succeeded',
    createdAt: '2026-11-18T11:06:40Z',
    customerCharged: '5.00',
    stripeFees: '0.39',
    platformFee: '0.18',
    clubPayout: '4.43',
  });
  const sums = {
    count: 101,
    listedMax: 5000,
    totalCharged: '505.00',
    stripeFees: '39.39',
    platformFees: '18.18',
    clubPayouts: '447.43',
    refunded: '0.00',
    prizePools: '0.00',
    feesEstimated: false,
  };
  new FakeServer()
    .on('GET /api/admin/whoami', { body: makeWhoami() })
    .on('GET /api/stripe-debug', { body: Array.from({ length: 101 }, (_, number) => row(number)) })
    .on(STRIPE_SUMS_CALL, { body: sums });
  renderScreen(<StripeDebugPage />, '/admin/stripe-debug');
  const all = await screen.findByRole('button', { name: 'Show all 101' });
  expect(screen.getAllByRole('row')).toHaveLength(1 + 100);
  await userEvent.click(all);
  expect(screen.getAllByRole('row')).toHaveLength(1 + 101);
  expect(screen.queryByRole('button', { name: 'Show all 101' })).toBeNull();
});
