import { afterEach, describe, expect, test, vi } from 'vitest';
import { EMPTY, add, itemOf } from '@/features/buyer/cart/cart';
import { cartByCard, cartByWallet } from '@/features/buyer/cart/cart-purchase';
import { FakeServer } from '@/testing/fake-server';
import { priceOf } from '@/shared/money';
import { aDraw } from '@/testing/a-draw';
import { attemptOf } from './attempt';
import { CHOOSING, advance, type Checkout, type CheckoutEvent } from './checkout';
import { askAgain, pay, type Purchase } from './pay';
import type { Confirmation, PaymentSurface } from './payment-surface';
import { forgetSecret } from './secret-cache';
import { cardPurchase, named, walletPurchase } from './single-purchase';

afterEach(() => vi.unstubAllGlobals());

const INTENT = {
  clientSecret: 'secret',
  paymentIntentId: 'pi_1',
  amount: 1047,
  connectedAccountId: 'acct_1',
  reservationId: 'r',
  orderToken: 't',
  expiresAt: '2026-11-20T09:02:00Z',
  serverTime: '2026-11-20T09:00:00Z',
  ticketCount: 2,
};
const DONE = {
  success: true,
  status: 'succeeded',
  paymentIntentId: 'pi_1',
  orderToken: 't',
  tickets: [{ ticketNumber: 114, serialNumber: 'FD-1042-114', homeNumber: 7, awayNumber: 9 }],
};
const buyer = { buyerName: 'Jo', buyerEmail: 'jo@example.com', buyerPhone: '0400 000 000' };
const order = { draw: aDraw(), count: 2, price: priceOf(500, 2, true) };
const surface = (confirmation: Confirmation, incomplete: string | null = null): PaymentSurface => ({
  submit: async () => (incomplete === null ? null : { message: incomplete }),
  confirm: async () => confirmation,
  method: async () => ({ kind: 'made', id: 'pm_1' }),
  nextAction: async () => confirmation,
});

function server() {
  return new FakeServer()
    .on('POST /api/validate-purchase', { body: { valid: true, errors: [] } })
    .on('POST /api/create-payment-intent', { body: INTENT })
    .on('POST /api/complete-card-payment', { body: DONE })
    .on('POST /api/purchase-tickets', { body: DONE });
}

async function run(
  confirmation: Confirmation = { kind: 'authorised' },
  incomplete: string | null = null,
): Promise<Checkout> {
  let checkout = CHOOSING;
  await pay(
    cardPurchase(order, buyer),
    surface(confirmation, incomplete),
    (event: CheckoutEvent) => (checkout = advance(checkout, event)),
  );
  return checkout;
}

test('a card purchase is checked, opened, confirmed and completed, in this order and once each', async () => {
  const fake = server();
  expect(await run()).toEqual({ at: 'issued', tickets: DONE.tickets });
  expect(fake.paths()).toEqual([
    'POST /api/validate-purchase',
    'POST /api/create-payment-intent',
    'POST /api/complete-card-payment',
  ]);
  expect(fake.asked[1]?.body).toMatchObject({
    drawNumber: 1042,
    ticketCount: 2,
    expectedAmount: 1047,
    buyer,
  });
  expect(fake.asked[2]?.body).toMatchObject({
    paymentIntentId: 'pi_1',
    ageConfirmation: true,
    termsAgreement: true,
  });
  expect(attemptOf('draw:1042')).toBeNull();
});

test('incomplete card details send no request', async () => {
  const fake = server();
  expect(await run(undefined, 'Your card number is incomplete.')).toMatchObject({
    at: 'choosing',
    trouble: { text: 'Your card number is incomplete.' },
  });
  expect(fake.asked).toEqual([]);
});

test('a decline keeps the attempt’s key, so the next try uses the same payment', async () => {
  const fake = server();
  expect(await run({ kind: 'declined', message: 'Your card was declined.' })).toMatchObject({
    at: 'choosing',
    trouble: { title: 'Payment Failed' },
  });
  const key = attemptOf('draw:1042')?.clientKey;
  await run();
  const keys = fake.asked
    .filter(({ path }) => path === '/api/create-payment-intent')
    .map(({ body }) => (body as { clientKey: string }).clientKey);
  expect(keys).toEqual([key, key]);
});

test('too few tickets reports how many are left', async () => {
  server().on('POST /api/create-payment-intent', {
    status: 409,
    body: {
      message:
        'Tickets No Longer Available: Only 1 tickets remaining. Please adjust your selection.',
      code: 'tickets-unavailable',
      available: 1,
    },
  });
  expect(await run()).toMatchObject({ at: 'choosing', order: null, trouble: { available: 1 } });
});

test('too few tickets in the check before the payment is the same error', async () => {
  const fake = server().on('POST /api/validate-purchase', {
    body: {
      valid: false,
      errors: [
        'Tickets No Longer Available: Only 1 tickets remaining. Please adjust your selection.',
      ],
    },
  });
  expect(await run()).toEqual({
    at: 'choosing',
    order: null,
    trouble: {
      title: 'Tickets No Longer Available',
      text: 'Only 1 tickets remaining. Please adjust your selection.',
      available: 1,
    },
  });
  expect(fake.paths()).toEqual(['POST /api/validate-purchase']);
});

test('an authorised payment whose tickets are gone is not charged', async () => {
  server().on('POST /api/complete-card-payment', {
    status: 409,
    body: { message: 'This draw has closed. You have not been charged.' },
  });
  expect(await run()).toEqual({
    at: 'notCharged',
    reason: 'This draw has closed. You have not been charged.',
    refunding: false,
  });
});

const MISMATCH = {
  status: 409,
  body: {
    code: 'payment-mismatch',
    message:
      'This payment does not match your order. We are looking into it; please contact support.',
  },
};

test('a payment that does not match its order promises nothing and is never paid again', async () => {
  server().on('POST /api/complete-card-payment', MISMATCH);
  expect(await run()).toMatchObject({ at: 'confirming', said: MISMATCH.body.message });
  expect(attemptOf('draw:1042')).toMatchObject({ paying: true, orderToken: 't' });
  expect(await askAgain('draw:1042', 'pi_1')).toEqual({
    is: 'unsure',
    said: MISMATCH.body.message,
  });
});

test.each([
  ['the network fails while it is completed', new TypeError('network')],
  ['the server fails while it is completed', { status: 500 }],
  [
    'it is still under way',
    { body: { ...DONE, success: false, status: 'processing', tickets: [] } },
  ],
])(
  'an authorised payment waits for its tickets and is never paid again when %s',
  async (_when, answer) => {
    server().on('POST /api/complete-card-payment', answer);
    expect(await run()).toMatchObject({ at: 'pending', order: { orderToken: 't' } });
    expect(attemptOf('draw:1042')).toMatchObject({ paying: true, orderToken: 't' });
  },
);

test('a payment with an unknown status is requested again and never paid again', async () => {
  server();
  expect(await run({ kind: 'unsure' })).toMatchObject({
    at: 'confirming',
    order: { orderToken: 't' },
  });
  expect(attemptOf('draw:1042')).toMatchObject({ paying: true, orderToken: 't' });
});

test('a provider status that is neither success nor failure refers the buyer to support', async () => {
  server();
  expect(await run({ kind: 'open', status: 'canceled' })).toMatchObject({
    at: 'choosing',
    trouble: {
      title: 'Payment Incomplete',
      text: 'Payment status: canceled. Please contact support.',
    },
  });
});

describe('payments confirmed by the server', () => {
  const cart = add(EMPTY, itemOf(aDraw(), 2));
  const cartServer = () =>
    new FakeServer()
      .on('POST /api/cart/create-payment-intent', { body: INTENT })
      .on('POST /api/purchase-cart', { body: DONE });
  async function runCart(purchase: Purchase, confirmation: Confirmation = { kind: 'authorised' }) {
    forgetSecret('cart');
    const said: Checkout[] = [CHOOSING];
    await pay(purchase, surface(confirmation), (event) =>
      said.push(advance(said.at(-1) ?? CHOOSING, event)),
    );
    return said.at(-1);
  }

  test('a cart’s card payment sends items, buyer and both consents', async () => {
    const fake = cartServer().on('POST /api/cart/complete-card-payment', { body: DONE });
    expect(await runCart(cartByCard(cart, 1500, buyer))).toMatchObject({ at: 'issued' });
    expect(fake.paths()).toEqual([
      'POST /api/cart/create-payment-intent',
      'POST /api/cart/complete-card-payment',
    ]);
    expect(fake.asked[1]?.body).toEqual({
      items: [{ drawId: 1042, quantity: 2, ticketPrice: '5.00', passStripeFees: true }],
      buyer,
      ageConfirmation: true,
      termsAgreement: true,
      paymentMethodId: 'pm_1',
    });
  });

  test('a bank’s challenge is answered in the browser, and the purchase completes', async () => {
    const fake = cartServer().on('POST /api/cart/complete-card-payment', {
      body: { ...DONE, success: false, status: 'requires_action', clientSecret: 'pi_1_secret_2' },
    });
    expect(await runCart(cartByCard(cart, 1500, buyer))).toMatchObject({ at: 'issued' });
    expect(fake.paths().at(-1)).toBe('POST /api/purchase-cart');
  });

  test('a declined card is not charged, and another card can pay', async () => {
    cartServer().on('POST /api/cart/complete-card-payment', {
      status: 402,
      body: { message: 'Your card was declined.', code: 'declined' },
    });
    expect(await runCart(cartByCard(cart, 1500, buyer))).toMatchObject({
      at: 'choosing',
      trouble: { title: 'Payment failed', text: 'Your card was declined.' },
    });
    expect(attemptOf('cart')).toMatchObject({ paying: false });
  });

  test.each([new TypeError('network'), { status: 500 }])(
    'a lost answer makes the outcome be requested, and nothing is paid again',
    async (answer) => {
      cartServer().on('POST /api/cart/complete-card-payment', answer);
      expect(await runCart(cartByCard(cart, 1500, buyer))).toMatchObject({ at: 'confirming' });
    },
  );

  test('a cart’s wallet sends its secret and payment method, and the consents in the background', async () => {
    const fake = cartServer().on('POST /api/payments/confirm-wallet', { body: DONE });
    expect(
      await runCart(
        cartByWallet(cart, 1500, { name: 'Jo', email: 'jo@example.com', phone: '0400' }),
      ),
    ).toMatchObject({ at: 'issued' });
    expect(fake.asked[1]).toMatchObject({
      path: '/api/payments/confirm-wallet',
      body: { clientSecret: 'secret', paymentMethodId: 'pm_1', kind: 'cart' },
    });
    expect(fake.asked[2]).toMatchObject({
      path: '/api/purchase-cart',
      body: { paymentIntentId: 'pi_1', ageConfirmation: true, termsAgreement: true },
    });
  });

  test('the checkout page’s wallet pays through the server, and an answer without tickets still counts', async () => {
    const fake = server().on('POST /api/process-wallet-payment', {
      body: { ...DONE, tickets: undefined },
    });
    let checkout = CHOOSING;
    await pay(
      walletPurchase(order, { name: 'Jo', email: 'jo@example.com', phone: '0400' }, 'checkout'),
      surface({ kind: 'authorised' }),
      (event) => (checkout = advance(checkout, event)),
    );
    expect(checkout).toEqual({ at: 'issued', tickets: [] });
    expect(fake.asked[1]?.body).toEqual({
      drawNumber: 1042,
      ticketCount: 2,
      paymentMethodId: 'pm_1',
      customerInfo: { name: 'Jo', email: 'jo@example.com', phone: '0400' },
    });
    expect(fake.paths()).toEqual([
      'POST /api/create-payment-intent',
      'POST /api/process-wallet-payment',
      'POST /api/purchase-tickets',
    ]);
  });

  test('a refusal of one of several games names the game', async () => {
    const message =
      'Tickets No Longer Available: Only 1 tickets remaining. Please adjust your selection.';
    new FakeServer().on('POST /api/cart/create-payment-intent', {
      status: 409,
      body: { message, code: 'tickets-unavailable', available: 1, drawNumber: 1043 },
    });
    const two = add(
      cart,
      itemOf(aDraw({ id: 1043, drawNumber: 1043, awayTeam: 'Ipswich Jets' }), 3),
    );
    const text = 'Only 1 tickets remaining. Please adjust your selection.';
    expect(await runCart(cartByCard(two, 2500, buyer))).toMatchObject({
      at: 'choosing',
      trouble: { text: `${text} (Redcliffe Sharks v Ipswich Jets)` },
    });
    expect(await runCart(cartByCard(cart, 1500, buyer))).toMatchObject({
      at: 'choosing',
      trouble: { text },
    });
  });

  test('the same contents within two minutes use the same secret', async () => {
    const fake = cartServer().on(
      'POST /api/cart/complete-card-payment',
      { status: 402, body: { message: 'no' } },
      { body: DONE },
    );
    await runCart(cartByCard(cart, 1500, buyer));
    let checkout = CHOOSING;
    await pay(
      cartByCard(cart, 1500, buyer),
      surface({ kind: 'authorised' }),
      (event) => (checkout = advance(checkout, event)),
    );
    expect(checkout.at).toBe('issued');
    expect(fake.paths().filter((path) => path.endsWith('create-payment-intent'))).toHaveLength(1);
  });
});

test('a wallet supplies the buyer’s details', async () => {
  const fake = server();
  let checkout = CHOOSING;
  await pay(
    walletPurchase(order, { name: 'Jo', email: 'jo@example.com', phone: '0400' }),
    surface({ kind: 'authorised' }),
    (event) => (checkout = advance(checkout, event)),
  );
  expect(checkout.at).toBe('issued');
  expect(fake.paths()).toEqual(['POST /api/create-payment-intent', 'POST /api/purchase-tickets']);
  expect(fake.asked[0]?.body).toMatchObject({
    customerInfo: { name: 'Jo', email: 'jo@example.com', phone: '0400' },
  });
});

test.each([
  ['Jo', ' Robin ', 'Robin'],
  ['Jo', undefined, 'Jo'],
  ['Jo', ' ', 'Jo'],
  ['', undefined, 'Ticket Holder'],
])(
  'a buyer who typed %j and pays with a wallet named %j is named %j',
  async (typed, name, buyerName) => {
    const fake = server();
    await pay(
      walletPurchase(order, named({ name, email: 'jo@example.com' }, { name: typed })),
      surface({ kind: 'authorised' }),
      () => {},
    );
    expect(fake.asked[0]?.body).toMatchObject({
      customerInfo: { name: buyerName, email: 'jo@example.com' },
    });
    expect(fake.asked[1]?.body).toMatchObject({ buyer: { buyerName } });
  },
);
