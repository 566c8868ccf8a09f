import { act, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Draw } from '@/api/wire';
import type { OpenOrder } from '@/features/buyer/checkout/state/checkout';
import { checkoutAtom } from '@/features/buyer/checkout/state/checkout-atoms';
import { drawPhaseOf } from '@/features/shared-live/draw-phase';
import { makeDraw } from '@/testing/draw-data';
import { renderScreen } from '@/testing/render-screen';
import { BuyPanel } from './buy-panel';

const FUTURE_DATE = '2099-01-01T00:00:00Z';

/**
 * Renders the panel for a buyer of two tickets whose card was declined, with the given milliseconds
 * left of the reservation.
 */
function renderDeclinedPurchase(draw: Draw, leftMs: number): void {
  const order: OpenOrder = {
    clientSecret: 's',
    paymentIntentId: 'pi_1',
    orderToken: 't',
    reservationId: 'r',
    amount: 1047,
    ticketCount: 2,
    expiresAt: Date.now() + leftMs,
  };
  const { store } = renderScreen(<BuyPanel draw={draw} phase={drawPhaseOf(draw, Date.now())} />);
  act(() => {
    const scope = checkoutAtom('draw:1042');
    store.set(scope, { type: 'submitted', method: 'card' });
    store.set(scope, { type: 'opened', order });
    store.set(scope, {
      type: 'declined',
      error: { title: 'Payment Failed', text: 'Your card was declined.' },
    });
  });
}

test('tickets that the buyer has reserved count as left for this buyer', () => {
  const draw = makeDraw({ gameDate: FUTURE_DATE, ticketsAvailable: 3 });
  renderDeclinedPurchase(draw, 60_000);
  expect(screen.getByText('Quantity · 5 left')).toBeDefined();
});

test('an expired reservation is not counted on top of its released tickets', () => {
  renderDeclinedPurchase(makeDraw({ gameDate: FUTURE_DATE, ticketsAvailable: 3 }), -1);
  expect(screen.getByText('Quantity · 3 left')).toBeDefined();
});

test('at kick-off a buyer with a reservation may continue', () => {
  renderDeclinedPurchase(makeDraw({ status: 'closed' }), 60_000);
  expect(screen.getByRole('heading', { name: 'Purchase Tickets' })).toBeDefined();
});

test('after kick-off a buyer with an expired reservation reads that the draw is closed', () => {
  renderDeclinedPurchase(makeDraw({ status: 'closed' }), -1);
  expect(screen.getByRole('heading', { name: 'Draw Closed' })).toBeDefined();
});

test('a club that takes no payments shows a note instead of a form, and a started purchase continues', () => {
  const draw = makeDraw({ gameDate: FUTURE_DATE, clubSelling: false });
  const { unmount } = renderScreen(<BuyPanel draw={draw} phase="active" />);
  expect(screen.getByRole('heading', { name: 'Not on sale' })).toBeDefined();
  expect(screen.queryByRole('link', { name: 'Other draws of Sharks' })).toBeNull();
  unmount();
  renderDeclinedPurchase(draw, 60_000);
  expect(screen.getByRole('heading', { name: 'Purchase Tickets' })).toBeDefined();
});
