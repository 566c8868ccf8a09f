import { screen } from '@testing-library/react';
import { useAtomValue } from 'jotai';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { saveAttempt } from '@/features/buyer/checkout/state/purchase-attempt';
import { saveReservation } from '@/features/buyer/checkout/reservation/reserved-tickets';
import { makeDraw } from '@/testing/draw-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { CART_PURCHASE_SCOPE, addItem, EMPTY_CART, cartItemOf } from './cart';
import { cartAtom } from './cart-atoms';
import { useFreshCart } from './use-fresh-cart';

const FUTURE_DATE = '2099-01-01T00:00:00Z';
/** The draw has three tickets left. The cart below contains all three. */
const drawWithThreeTicketsLeft = makeDraw({
  ticketsSold: 166,
  ticketsAvailable: 3,
  gameDate: FUTURE_DATE,
});
const cart = addItem(EMPTY_CART, cartItemOf(drawWithThreeTicketsLeft, 3));

beforeEach(() => saveAttempt(CART_PURCHASE_SCOPE, { clientKey: 'k' }));
afterEach(() => vi.unstubAllGlobals());

function CartUnderTest() {
  const { fresh, changes } = useFreshCart();
  const { items } = useAtomValue(cartAtom);
  return (
    <p>
      {fresh
        ? `${items.map((item) => `${item.quantity} of ${item.availableTickets}`).join() || 'empty'}; ${changes.join()}`
        : 'asking'}
    </p>
  );
}

async function cartTextAfterReload(reload: {
  ticketsSold?: number;
  ticketsHeld?: number;
}): Promise<string> {
  new FakeServer().on('GET /api/draws/1042', {
    body: { ...drawWithThreeTicketsLeft, ticketsAvailable: 0, ...reload },
  });
  const { store } = renderScreen(<CartUnderTest />);
  store.set(cartAtom, () => cart);
  return (await screen.findByText(/;/)).textContent ?? '';
}

test('a reload keeps the tickets that the cart has reserved itself', async () => {
  saveReservation(CART_PURCHASE_SCOPE, {
    expiresAt: Date.parse(FUTURE_DATE),
    ticketCount: 3,
    items: [{ drawNumber: 1042, quantity: 3 }],
  });
  expect(await cartTextAfterReload({ ticketsHeld: 3 })).toBe('3 of 3; ');
});

test('tickets reserved by other buyers are removed from the cart', async () => {
  expect(await cartTextAfterReload({ ticketsHeld: 3 })).toBe(
    'empty; Redcliffe Sharks v Wynnum Tigers can no longer be bought and was taken out of your cart.',
  );
});

test('a reload during a payment leaves the cart unchanged', async () => {
  saveAttempt(CART_PURCHASE_SCOPE, {
    clientKey: 'k',
    orderToken: 't',
    paymentIntentId: 'pi_1',
    paying: true,
  });
  expect(await cartTextAfterReload({ ticketsSold: 169 })).toBe('3 of 3; ');
});
