import { act, cleanup, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { CART_PURCHASE_SCOPE, EMPTY_CART, addItem, cartItemOf } from '@/features/buyer/cart/cart';
import { cartAtom } from '@/features/buyer/cart/cart-atoms';
import { finishAttemptWithTickets } from '@/features/buyer/checkout/state/purchase-attempt';
import type { OpenOrder } from '@/features/buyer/checkout/state/checkout';
import { checkoutAtom } from '@/features/buyer/checkout/state/checkout-atoms';
import { makeDraw } from '@/testing/draw-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { Page } from './cart-checkout-page';

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

const openOrder: OpenOrder = {
  clientSecret: 's',
  paymentIntentId: 'pi_1',
  orderToken: 't',
  reservationId: 'r',
  amount: 1047,
  ticketCount: 2,
  expiresAt: Date.now() + 60_000,
};

test('cart that was just bought never shows a zero total', async () => {
  const draw = makeDraw({ gameDate: '2099-01-01T00:00:00Z' });
  new FakeServer().on('GET /api/draws/1042', { body: draw });
  const { store } = renderScreen(<Page />, '/cart/checkout');
  act(() => store.set(cartAtom, () => addItem(EMPTY_CART, cartItemOf(draw, 2))));
  expect((await screen.findByText(/^2 tickets · /)).textContent).toBe('2 tickets · $10.47');
  const scope = checkoutAtom(CART_PURCHASE_SCOPE);
  act(() => store.set(scope, { type: 'submitted', method: 'card' }));
  act(() => store.set(scope, { type: 'opened', order: openOrder }));
  act(() => store.set(scope, { type: 'authorised' }));
  expect(screen.getByText('Total').parentElement?.textContent).toBe('Total$10.47');
  act(() => store.set(scope, { type: 'issued', tickets: [] }));
  expect(store.get(cartAtom).items).toEqual([]);
  expect(document.body.textContent).not.toMatch(/\$0\.00|0 tickets/);
});

test('return to a bought cart shows the purchase without a redirect', async () => {
  vi.useFakeTimers();
  new FakeServer();
  finishAttemptWithTickets(CART_PURCHASE_SCOPE, 'bought');
  renderScreen(<Page />, '/cart/checkout');
  await act(() => vi.advanceTimersByTimeAsync(1_000));
  vi.useRealTimers();
  expect(screen.getByRole('link', { name: 'Show my tickets' }).getAttribute('href')).toBe(
    '/my/bought',
  );
  expect(window.location.pathname).toBe('/cart/checkout');
});
