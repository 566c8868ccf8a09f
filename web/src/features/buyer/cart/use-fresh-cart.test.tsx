import { screen } from '@testing-library/react';
import { useAtomValue } from 'jotai';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { noteAttempt } from '@/features/buyer/checkout/attempt';
import { noteKept } from '@/features/buyer/checkout/kept';
import { aDraw } from '@/testing/a-draw';
import { FakeServer } from '@/testing/fake-server';
import { show } from '@/testing/show';
import { CART_SCOPE, add, EMPTY, itemOf } from './cart';
import { cartAtom } from './cart-atoms';
import { useFreshCart } from './use-fresh-cart';

const LATER = '2099-01-01T00:00:00Z';
/** This cart holds the last three tickets. */
const last = aDraw({ ticketsSold: 166, ticketsAvailable: 3, gameDate: LATER });
const cart = add(EMPTY, itemOf(last, 3));

beforeEach(() => noteAttempt(CART_SCOPE, { clientKey: 'k' }));
afterEach(() => vi.unstubAllGlobals());

function Cart() {
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

async function after(reload: { ticketsSold?: number; ticketsHeld?: number }): Promise<string> {
  new FakeServer().on('GET /api/draws/1042', { body: { ...last, ticketsAvailable: 0, ...reload } });
  const { store } = show(<Cart />);
  store.set(cartAtom, () => cart);
  return (await screen.findByText(/;/)).textContent ?? '';
}

test('a reload keeps the tickets that the cart has reserved itself', async () => {
  noteKept(CART_SCOPE, {
    expiresAt: Date.parse(LATER),
    ticketCount: 3,
    items: [{ drawNumber: 1042, quantity: 3 }],
  });
  expect(await after({ ticketsHeld: 3 })).toBe('3 of 3; ');
});

test('tickets reserved by other buyers are removed from the cart', async () => {
  expect(await after({ ticketsHeld: 3 })).toBe(
    'empty; Redcliffe Sharks v Wynnum Tigers can no longer be bought and was taken out of your cart.',
  );
});

test('a reload during a payment leaves the cart unchanged', async () => {
  noteAttempt(CART_SCOPE, {
    clientKey: 'k',
    orderToken: 't',
    paymentIntentId: 'pi_1',
    paying: true,
  });
  expect(await after({ ticketsSold: 169 })).toBe('3 of 3; ');
});
