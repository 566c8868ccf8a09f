import { act, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Draw } from '@/api/wire';
import type { OpenOrder } from '@/features/buyer/checkout/checkout';
import { checkoutAtom } from '@/features/buyer/checkout/checkout-atoms';
import { phaseOf } from '@/features/shared-live/draw-phase';
import { aDraw } from '@/testing/a-draw';
import { show } from '@/testing/show';
import { BuyPanel } from './buy-panel';

const LATER = '2099-01-01T00:00:00Z';

/**
 * Renders the panel for a buyer of two tickets whose card was declined, with the given milliseconds
 * left of the reservation.
 */
function declined(draw: Draw, leftMs: number): void {
  const order: OpenOrder = {
    clientSecret: 's',
    paymentIntentId: 'pi_1',
    orderToken: 't',
    reservationId: 'r',
    amount: 1047,
    ticketCount: 2,
    expiresAt: Date.now() + leftMs,
  };
  const { store } = show(<BuyPanel draw={draw} phase={phaseOf(draw, Date.now())} />);
  act(() => {
    const scope = checkoutAtom('draw:1042');
    store.set(scope, { is: 'submitted', way: 'card' });
    store.set(scope, { is: 'opened', order });
    store.set(scope, {
      is: 'declined',
      trouble: { title: 'Payment Failed', text: 'Your card was declined.' },
    });
  });
}

test('tickets that the buyer has reserved count as left for this buyer', () => {
  const draw = aDraw({ gameDate: LATER, ticketsAvailable: 3 });
  declined(draw, 60_000);
  expect(screen.getByText('Quantity · 5 left')).toBeDefined();
});

test('an expired reservation is not counted on top of its released tickets', () => {
  declined(aDraw({ gameDate: LATER, ticketsAvailable: 3 }), -1);
  expect(screen.getByText('Quantity · 3 left')).toBeDefined();
});

test('at kick-off a buyer with a reservation may continue', () => {
  declined(aDraw({ status: 'closed' }), 60_000);
  expect(screen.getByRole('heading', { name: 'Purchase Tickets' })).toBeDefined();
});

test('after kick-off a buyer with an expired reservation reads that the draw is closed', () => {
  declined(aDraw({ status: 'closed' }), -1);
  expect(screen.getByRole('heading', { name: 'Draw Closed' })).toBeDefined();
});

test('a club that takes no payments shows a note instead of a form, and a started purchase continues', () => {
  const draw = aDraw({ gameDate: LATER, clubSelling: false });
  const { unmount } = show(<BuyPanel draw={draw} phase="active" />);
  expect(screen.getByRole('heading', { name: 'Not on sale' })).toBeDefined();
  expect(screen.queryByRole('link', { name: 'Other draws of Sharks' })).toBeNull();
  unmount();
  declined(draw, 60_000);
  expect(screen.getByRole('heading', { name: 'Purchase Tickets' })).toBeDefined();
});
