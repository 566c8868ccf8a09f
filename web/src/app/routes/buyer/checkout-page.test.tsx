import { act, cleanup, fireEvent, screen } from '@testing-library/react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Draw } from '@/api/wire';
import {
  beginAttempt,
  finishAttemptWithTickets,
  saveAttempt,
} from '@/features/buyer/checkout/state/purchase-attempt';
import { checkoutAtom } from '@/features/buyer/checkout/state/checkout-atoms';
import { receiveDrawsAtom } from '@/features/shared-live/live-atoms';
import { makeDraw } from '@/testing/draw-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { Page } from './checkout-page';

const CREATE_INTENT_CALL = 'POST /api/create-payment-intent';
const TOO_FEW_TICKETS_RESPONSE = {
  status: 409,
  body: {
    message: 'Tickets No Longer Available: Only 2 tickets remaining. Please adjust your selection.',
    code: 'tickets-unavailable',
    available: 2,
  },
};
const makeOpenDraw = (more: Partial<Draw> = {}) =>
  makeDraw({ gameDate: '2099-01-01T00:00:00Z', ticketsSold: 163, ticketsAvailable: 6, ...more });
const makeOpenPaymentResponse = (ticketCount: number) => ({
  clientSecret: 's',
  paymentIntentId: 'pi_1',
  amount: 539 * ticketCount,
  connectedAccountId: 'acct_1',
  reservationId: 'r',
  orderToken: 't',
  ticketCount,
  expiresAt: new Date(Date.now() + 120_000).toISOString(),
  serverTime: '2026-11-20T09:00:00Z',
});

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  // Unmounts while the fake server still exists, because unmounting sends the release of the
  // reservation.
  cleanup();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/**
 * Opens the checkout for five of six tickets. Also returns a function that delivers a new state of
 * the draw.
 */
async function openCheckoutForFiveTickets(server: FakeServer) {
  server.on('GET /api/draws/1042', { body: makeOpenDraw() });
  const { store } = renderScreen(<Page params={{ draw: '1042' }} />, '/checkout/1042?tickets=5');
  await advanceTime(0);
  const told = async (more: Partial<Draw>) => {
    server.on('GET /api/draws/1042', { body: makeOpenDraw({ revision: 9, ...more }) });
    act(() => store.set(receiveDrawsAtom, [makeOpenDraw({ revision: 9, ...more })]));
    await advanceTime(0);
  };
  return { told, store };
}

const advanceTime = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const shownTicketCount = () => screen.getByRole('spinbutton').textContent;
const requestedTicketCounts = (server: FakeServer) =>
  server.requests
    .filter(({ path }) => path === '/api/create-payment-intent')
    .map(({ body }) => (body as { ticketCount: number }).ticketCount);

test('count drops to what is left, says so, and reserves that many', async () => {
  const server = new FakeServer().on(CREATE_INTENT_CALL, TOO_FEW_TICKETS_RESPONSE, {
    body: makeOpenPaymentResponse(2),
  });
  const { told } = await openCheckoutForFiveTickets(server);
  expect(shownTicketCount()).toBe('5');
  await advanceTime(600);
  await told({ ticketsSold: 167, ticketsAvailable: 2 });
  expect(shownTicketCount()).toBe('2');
  expect(screen.getByText('Only 2 left – quantity changed')).toBeDefined();
  await advanceTime(600);
  expect(requestedTicketCounts(server)).toEqual([5, 2]);
  expect(document.querySelector('.callout')).toBeNull();
});

test('held tickets keep the count until the server has answered', async () => {
  const server = new FakeServer().on(CREATE_INTENT_CALL, { body: makeOpenPaymentResponse(5) });
  const { told } = await openCheckoutForFiveTickets(server);
  await told({ ticketsHeld: 5, ticketsAvailable: 1 });
  expect(shownTicketCount()).toBe('5');
  await advanceTime(600);
  expect(shownTicketCount()).toBe('5');
  expect(requestedTicketCounts(server)).toEqual([5]);
});

test('draw whose rest is held says that tickets may come free', async () => {
  new FakeServer().on('GET /api/draws/1042', {
    body: makeOpenDraw({ ticketsSold: 160, ticketsHeld: 9, ticketsAvailable: 0 }),
  });
  renderScreen(<Page params={{ draw: '1042' }} />, '/checkout/1042');
  await advanceTime(0);
  expect(document.querySelector('.callout')?.textContent).toBe(
    'Every ticket is taken for now9 tickets are being paid for; you’ll see them here if they come free.',
  );
});

test('sold-out draw says that it is sold out', async () => {
  new FakeServer().on('GET /api/draws/1042', {
    body: makeOpenDraw({ ticketsSold: 169, ticketsAvailable: 0 }),
  });
  renderScreen(<Page params={{ draw: '1042' }} />, '/checkout/1042');
  await advanceTime(0);
  expect(document.querySelector('.callout')?.textContent).toContain('Sold Out!');
});

test('buyer who reserves the last tickets keeps the form', async () => {
  const server = new FakeServer().on(CREATE_INTENT_CALL, { body: makeOpenPaymentResponse(5) });
  const { told } = await openCheckoutForFiveTickets(server);
  await advanceTime(490);
  await told({ ticketsSold: 164, ticketsHeld: 5, ticketsAvailable: 0 });
  expect(document.querySelector('.callout')).toBeNull();
  await advanceTime(100);
  expect(screen.getByText('Tickets reserved for')).toBeDefined();
});

test('late buyer of the last tickets reads that others are paying', async () => {
  const server = new FakeServer().on(CREATE_INTENT_CALL, TOO_FEW_TICKETS_RESPONSE);
  const { told } = await openCheckoutForFiveTickets(server);
  await advanceTime(490);
  await told({ ticketsSold: 164, ticketsHeld: 5, ticketsAvailable: 0 });
  await advanceTime(100);
  expect(document.querySelector('.callout')?.textContent).toContain(
    'Every ticket is taken for now',
  );
});

const restoreFromPageCache = () =>
  act(() => void window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true })));

test('finished checkout reserves nothing until the buyer asks for more', async () => {
  const server = new FakeServer().on(CREATE_INTENT_CALL, { body: makeOpenPaymentResponse(5) });
  finishAttemptWithTickets('draw:1042', 'bought');
  await openCheckoutForFiveTickets(server);
  expect(screen.getByRole('status').textContent).toContain(
    'You have your ticketsRedcliffe Sharks v Wynnum Tigers',
  );
  expect(screen.getByRole('link', { name: 'Show my tickets' }).getAttribute('href')).toBe(
    '/my/bought',
  );
  await advanceTime(600);
  expect(requestedTicketCounts(server)).toEqual([]);
  fireEvent.click(screen.getByRole('button', { name: 'Buy more tickets' }));
  await advanceTime(600);
  expect(requestedTicketCounts(server)).toEqual([5]);
});

test('cached page of a payment shows the finished purchase', async () => {
  const server = new FakeServer().on(CREATE_INTENT_CALL, { body: makeOpenPaymentResponse(5) });
  const { store } = await openCheckoutForFiveTickets(server);
  await advanceTime(600);
  const scope = checkoutAtom('draw:1042');
  act(() => store.set(scope, { type: 'submitted', method: 'card' }));
  finishAttemptWithTickets('draw:1042', 'bought');
  await restoreFromPageCache();
  expect(screen.getByRole('link', { name: 'Show my tickets' })).toBeDefined();
  expect(store.get(scope)).toMatchObject({ state: 'choosing', order: null });
  await advanceTime(600);
  expect(requestedTicketCounts(server)).toEqual([5]);
});

test('cached page of a payment checks an unknown outcome', async () => {
  const server = new FakeServer().on(CREATE_INTENT_CALL, { body: makeOpenPaymentResponse(5) });
  await openCheckoutForFiveTickets(server);
  saveAttempt('draw:1042', {
    ...beginAttempt('draw:1042'),
    orderToken: 't',
    paymentIntentId: 'pi_1',
    paying: true,
  });
  await restoreFromPageCache();
  expect(screen.getByRole('heading', { name: 'We are confirming your payment' })).toBeDefined();
});
