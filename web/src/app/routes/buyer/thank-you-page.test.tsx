import { act, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { OrderResponse } from '@/api/wire';
import { savePurchaseSummary, buildPurchaseSummary } from '@/features/buyer/checkout/state/summary';
import { makeDraw } from '@/testing/draw-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { Page } from './thank-you-page';

const orderResponse: OrderResponse = {
  state: 'captured',
  status: 'succeeded',
  paymentIntentId: 'pi_12345678',
  orderToken: 'token',
  amount: 1500,
  subtotal: '15.00',
  cardFee: '0.00',
  clubName: 'Tigers',
  clubSlug: 'tigers',
  buyerName: 'Jo',
  buyerEmailMasked: 'j…@example.com',
  purchasedAt: '2026-11-20T05:00:00Z',
  reason: null,
  refund: null,
  lines: [
    {
      drawNumber: 1043,
      homeTeam: 'Wynnum Tigers',
      awayTeam: 'Ipswich Jets',
      league: null,
      gameDate: '2026-11-21T09:10:00Z',
      timezone: 'Australia/Brisbane',
      status: 'active',
      ticketCount: 3,
      ticketPrice: '5.00',
      currentPrize: '100.00',
      ticketsSold: 40,
      tickets: [1, 2, 3].map((ticketNumber) => ({
        ticketNumber,
        serialNumber: `FD-1043-00${ticketNumber}`,
        homeNumber: ticketNumber,
        awayNumber: 9,
        isWinner: null,
      })),
    },
  ],
};

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Stores the summary of an earlier purchase: one ticket of another draw and club. */
const storeEarlierPurchase = () =>
  savePurchaseSummary(buildPurchaseSummary([{ draw: makeDraw(), count: 1 }], 'Jo'));

function renderThankYouPage(said: Partial<OrderResponse>): HTMLElement {
  sessionStorage.setItem(
    'lastPayment',
    JSON.stringify({ orderToken: 'token', paymentIntentId: 'pi_12345678', scope: 'draw:1043' }),
  );
  new FakeServer().on('GET /api/orders/token', { body: { ...orderResponse, ...said } });
  renderScreen(<Page />);
  return document.body;
}

test('order decides what was bought, whatever an earlier purchase left', async () => {
  storeEarlierPurchase();
  const page = renderThankYouPage({});
  expect(await screen.findByText(/^3 tickets bought for \$15\.00\./)).toBeDefined();
  expect(page.querySelector('.share-box')?.textContent).toContain(
    'backed Tigers with 3 tickets in the Wynnum Tigers v Ipswich Jets draw',
  );
  expect(screen.getByRole('link', { name: 'Return to Tigers Page' }).getAttribute('href')).toBe(
    '/club/tigers',
  );
  expect(page.textContent).not.toContain('Redcliffe');
});

test('share box waits for the tickets, so that nothing moves', async () => {
  vi.useFakeTimers();
  storeEarlierPurchase();
  const page = renderThankYouPage({});
  expect(page.textContent).toContain('being issued');
  expect(page.textContent).toContain('Reference 12345678');
  expect(page.querySelector('.share-box')).toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(500));
  expect(page.querySelectorAll('.ticket')).toHaveLength(3);
  expect(page.querySelector('.share-box')).not.toBeNull();
});

test('share box appears after two seconds when tickets are late', async () => {
  vi.useFakeTimers();
  storeEarlierPurchase();
  const page = renderThankYouPage({
    state: 'authorised',
    status: 'processing',
    lines: orderResponse.lines.map((line) => ({ ...line, tickets: [] })),
  });
  await act(() => vi.advanceTimersByTimeAsync(1_900));
  expect(page.querySelector('.share-box')).toBeNull();
  await act(() => vi.advanceTimersByTimeAsync(200));
  expect(page.querySelector('.share-box')).not.toBeNull();
});

test('completed refund is not described as pending', async () => {
  renderThankYouPage({
    state: 'void',
    status: 'refunded',
    reason: 'The draw was cancelled.',
    refund: { state: 'succeeded', amount: '15.00' },
  });
  expect(await screen.findByRole('heading', { name: 'Your payment was refunded' })).toBeDefined();
  expect(screen.getByRole('alert').textContent).toContain(
    'The draw was cancelled. $15.00 was sent back to you.',
  );
  expect(screen.queryByText(/on its way/)).toBeNull();
});

test('lapsed reservation is described in full sentences', async () => {
  const page = renderThankYouPage({
    state: 'released',
    status: 'not_charged',
    reason: 'Reservation expired',
  });
  expect(await screen.findByRole('heading', { name: 'No tickets were bought' })).toBeDefined();
  expect(page.querySelector('.thanks-head p')?.textContent).toBe(
    'Reservation expired. You have not been charged.',
  );
});

test.each([
  ['quoted', 'requires_payment_method'],
  ['allocated', 'processing'],
])(
  'payment that does not match its order (%s) promises no tickets or refund',
  async (state, status) => {
    sessionStorage.setItem(
      'lastPayment',
      JSON.stringify({ orderToken: 'token', paymentIntentId: 'pi_12345678', scope: 'draw:1043' }),
    );
    const text =
      'This payment does not match your order. We are looking into it; please contact support.';
    new FakeServer()
      .on('GET /api/orders/token', {
        body: {
          ...orderResponse,
          state,
          status,
          purchasedAt: null,
          lines: orderResponse.lines.map((line) => ({ ...line, tickets: [] })),
        },
      })
      .on('POST /api/complete-card-payment', {
        status: 409,
        body: { code: 'payment-mismatch', message: text },
      });
    renderScreen(<Page />);
    expect(await screen.findByText(`${text} Please do not pay again.`)).toBeDefined();
    expect(screen.getByRole('heading', { level: 1 }).textContent).toBe(
      'We are confirming your payment',
    );
    expect(document.body.textContent).not.toMatch(
      /Thank you|went through|being issued|I just backed|Resend/,
    );
  },
);

test('payment that the provider has not confirmed is not called complete', async () => {
  renderThankYouPage({ state: 'quoted', status: 'requires_payment_method', purchasedAt: null });
  expect(
    await screen.findByRole('heading', { level: 1, name: 'We are confirming your payment' }),
  ).toBeDefined();
  expect(document.body.textContent).not.toMatch(/went through|being issued/);
});

test('day-old summary in another tab promises no new tickets', () => {
  storeEarlierPurchase();
  sessionStorage.clear();
  new FakeServer();
  renderScreen(<Page />);
  expect(screen.getByText('Your tickets are in your e-mail.')).toBeDefined();
  expect(document.body.textContent).not.toContain('being issued');
});

test('the share message of a cart names its other draws', async () => {
  const [line] = orderResponse.lines;
  const page = renderThankYouPage({
    lines: line ? [line, { ...line, drawNumber: 1044, ticketCount: 2 }] : [],
  });
  await screen.findByText(/^5 tickets bought/);
  expect(page.querySelector('.share-box')?.textContent).toContain(
    'with 5 tickets in Wynnum Tigers v Ipswich Jets and 1 more draw.',
  );
});

test('from the fourth ticket on, tickets are folded, and the winning one is not', async () => {
  const [line] = orderResponse.lines;
  const tickets = Array.from({ length: 30 }, (_, at) => ({
    ticketNumber: at + 1,
    serialNumber: `FD-1043-${at + 1}`,
    homeNumber: 1,
    awayNumber: 9,
    isWinner: at === 20,
  }));
  const page = renderThankYouPage({ lines: line ? [{ ...line, ticketCount: 30, tickets }] : [] });
  expect(await screen.findByText('27 more')).toBeTruthy();
  expect(page.querySelectorAll('.ticket')).toHaveLength(30);
  expect(page.querySelectorAll('details .ticket')).toHaveLength(27);
  expect(page.querySelector('.is-winner')?.closest('details')).toBeNull();
});

test('a summary that was stored in part shows no undefined draw', () => {
  sessionStorage.setItem('purchaseData', JSON.stringify({ draws: [{ drawNumber: 1042 }] }));
  renderScreen(<Page />);
  expect(document.body.textContent).not.toMatch(/NaN|undefined/);
  expect(screen.getByText(/There is no purchase in this browser/)).toBeTruthy();
});
