import { afterEach, describe, expect, test, vi } from 'vitest';
import { EMPTY_CART, addItem, cartItemOf } from '@/features/buyer/cart/cart';
import {
  buildCartCardPurchase,
  buildCartWalletPurchase,
} from '@/features/buyer/cart/cart-purchase';
import { FakeServer } from '@/testing/fake-server';
import { priceOf } from '@/shared/money';
import { makeDraw } from '@/testing/draw-data';
import { currentAttempt } from '../state/purchase-attempt';
import { INITIAL_CHECKOUT, reduceCheckout } from '../state/checkout';
import type { Checkout, CheckoutEvent } from '../state/checkout';
import { pollPaymentOutcome, carryOutPurchase, type Purchase } from './pay';
import type { PaymentConfirmation, PaymentGateway } from './payment-gateway';
import { dropCachedIntentResponse } from './intent-response-cache';
import {
  buildDrawCardPurchase,
  payerWithTypedName,
  buildDrawWalletPurchase,
} from './single-purchase';

afterEach(() => vi.unstubAllGlobals());

const INTENT_RESPONSE = {
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
const COMPLETED_RESPONSE = {
  success: true,
  status: 'succeeded',
  paymentIntentId: 'pi_1',
  orderToken: 't',
  tickets: [{ ticketNumber: 114, serialNumber: 'FD-1042-114', homeNumber: 7, awayNumber: 9 }],
};
const buyer = { buyerName: 'Jo', buyerEmail: 'jo@example.com', buyerPhone: '0400 000 000' };
const singleOrder = { draw: makeDraw(), count: 2, price: priceOf(500, 2, true) };
const makePaymentGateway = (
  confirmation: PaymentConfirmation,
  incomplete: string | null = null,
): PaymentGateway => ({
  submit: async () => (incomplete === null ? null : { message: incomplete }),
  confirm: async () => confirmation,
  confirmationToken: async () => ({ kind: 'made', id: 'ctoken_1' }),
  nextAction: async () => confirmation,
});

function startServer() {
  return new FakeServer()
    .on('POST /api/validate-purchase', { body: { valid: true, errors: [] } })
    .on('POST /api/create-payment-intent', { body: INTENT_RESPONSE })
    .on('POST /api/complete-card-payment', { body: COMPLETED_RESPONSE })
    .on('POST /api/purchase-tickets', { body: COMPLETED_RESPONSE });
}

async function runPurchase(
  confirmation: PaymentConfirmation = { kind: 'authorised' },
  incomplete: string | null = null,
): Promise<Checkout> {
  let checkout = INITIAL_CHECKOUT;
  await carryOutPurchase(
    buildDrawCardPurchase(singleOrder, buyer),
    makePaymentGateway(confirmation, incomplete),
    (event: CheckoutEvent) => (checkout = reduceCheckout(checkout, event)),
  );
  return checkout;
}

test('a card purchase is checked, opened, confirmed and completed, in this order and once each', async () => {
  const fake = startServer();
  expect(await runPurchase()).toEqual({ state: 'issued', tickets: COMPLETED_RESPONSE.tickets });
  expect(fake.paths()).toEqual([
    'POST /api/validate-purchase',
    'POST /api/create-payment-intent',
    'POST /api/complete-card-payment',
  ]);
  expect(fake.requests[1]?.body).toMatchObject({
    drawNumber: 1042,
    ticketCount: 2,
    expectedAmount: 1047,
    buyer,
  });
  expect(fake.requests[2]?.body).toMatchObject({
    paymentIntentId: 'pi_1',
    ageConfirmation: true,
    termsAgreement: true,
  });
  expect(currentAttempt('draw:1042')).toBeNull();
});

test('incomplete card details send no request', async () => {
  const fake = startServer();
  expect(await runPurchase(undefined, 'Your card number is incomplete.')).toMatchObject({
    state: 'choosing',
    error: { text: 'Your card number is incomplete.' },
  });
  expect(fake.requests).toEqual([]);
});

test('a decline keeps the attempt’s key, so the next try uses the same payment', async () => {
  const fake = startServer();
  expect(await runPurchase({ kind: 'declined', message: 'Your card was declined.' })).toMatchObject(
    {
      state: 'choosing',
      error: { title: 'Payment Failed' },
    },
  );
  const key = currentAttempt('draw:1042')?.clientKey;
  await runPurchase();
  const keys = fake.requests
    .filter(({ path }) => path === '/api/create-payment-intent')
    .map(({ body }) => (body as { clientKey: string }).clientKey);
  expect(keys).toEqual([key, key]);
});

test('too few tickets reports how many are left', async () => {
  startServer().on('POST /api/create-payment-intent', {
    status: 409,
    body: {
      message:
        'Tickets No Longer Available: Only 1 tickets remaining. Please adjust your selection.',
      code: 'tickets-unavailable',
      available: 1,
    },
  });
  expect(await runPurchase()).toMatchObject({
    state: 'choosing',
    order: null,
    error: { available: 1 },
  });
});

test('too few tickets in the check before the payment is the same error', async () => {
  const fake = startServer().on('POST /api/validate-purchase', {
    body: {
      valid: false,
      errors: [
        'Tickets No Longer Available: Only 1 tickets remaining. Please adjust your selection.',
      ],
    },
  });
  expect(await runPurchase()).toEqual({
    state: 'choosing',
    order: null,
    error: {
      title: 'Tickets No Longer Available',
      text: 'Only 1 tickets remaining. Please adjust your selection.',
      available: 1,
    },
  });
  expect(fake.paths()).toEqual(['POST /api/validate-purchase']);
});

test('an authorised payment whose tickets are gone is not charged', async () => {
  startServer().on('POST /api/complete-card-payment', {
    status: 409,
    body: { message: 'This draw has closed. You have not been charged.' },
  });
  expect(await runPurchase()).toEqual({
    state: 'notCharged',
    reason: 'This draw has closed. You have not been charged.',
    refunding: false,
  });
});

const PAYMENT_MISMATCH_RESPONSE = {
  status: 409,
  body: {
    code: 'payment-mismatch',
    message:
      'This payment does not match your order. We are looking into it; please contact support.',
  },
};

test('a payment that does not match its order promises nothing and is never paid again', async () => {
  startServer().on('POST /api/complete-card-payment', PAYMENT_MISMATCH_RESPONSE);
  expect(await runPurchase()).toMatchObject({
    state: 'confirming',
    serverMessage: PAYMENT_MISMATCH_RESPONSE.body.message,
  });
  expect(currentAttempt('draw:1042')).toMatchObject({ paying: true, orderToken: 't' });
  expect(await pollPaymentOutcome('draw:1042', 'pi_1')).toEqual({
    type: 'unsure',
    serverMessage: PAYMENT_MISMATCH_RESPONSE.body.message,
  });
});

test.each([
  ['the network fails while it is completed', new TypeError('network')],
  ['the server fails while it is completed', { status: 500 }],
  [
    'it is still under way',
    { body: { ...COMPLETED_RESPONSE, success: false, status: 'processing', tickets: [] } },
  ],
])(
  'an authorised payment waits for its tickets and is never paid again when %s',
  async (_when, answer) => {
    startServer().on('POST /api/complete-card-payment', answer);
    expect(await runPurchase()).toMatchObject({ state: 'pending', order: { orderToken: 't' } });
    expect(currentAttempt('draw:1042')).toMatchObject({ paying: true, orderToken: 't' });
  },
);

test('a payment with an unknown status is requested again and never paid again', async () => {
  startServer();
  expect(await runPurchase({ kind: 'unsure' })).toMatchObject({
    state: 'confirming',
    order: { orderToken: 't' },
  });
  expect(currentAttempt('draw:1042')).toMatchObject({ paying: true, orderToken: 't' });
});

test('a provider status that is neither success nor failure refers the buyer to support', async () => {
  startServer();
  expect(await runPurchase({ kind: 'open', status: 'canceled' })).toMatchObject({
    state: 'choosing',
    error: {
      title: 'Payment Incomplete',
      text: 'Payment status: canceled. Please contact support.',
    },
  });
});

describe('payments confirmed by the server', () => {
  const cart = addItem(EMPTY_CART, cartItemOf(makeDraw(), 2));
  const cartServer = () =>
    new FakeServer()
      .on('POST /api/cart/create-payment-intent', { body: INTENT_RESPONSE })
      .on('POST /api/purchase-cart', { body: COMPLETED_RESPONSE });
  async function runCart(
    purchase: Purchase,
    confirmation: PaymentConfirmation = { kind: 'authorised' },
  ) {
    dropCachedIntentResponse('cart');
    const states: Checkout[] = [INITIAL_CHECKOUT];
    await carryOutPurchase(purchase, makePaymentGateway(confirmation), (event) =>
      states.push(reduceCheckout(states.at(-1) ?? INITIAL_CHECKOUT, event)),
    );
    return states.at(-1);
  }

  test('a cart’s card payment sends items, buyer and both consents', async () => {
    const fake = cartServer().on('POST /api/cart/complete-card-payment', {
      body: COMPLETED_RESPONSE,
    });
    expect(await runCart(buildCartCardPurchase(cart, 1500, buyer))).toMatchObject({
      state: 'issued',
    });
    expect(fake.paths()).toEqual([
      'POST /api/cart/create-payment-intent',
      'POST /api/cart/complete-card-payment',
    ]);
    expect(fake.requests[1]?.body).toEqual({
      items: [{ drawId: 1042, quantity: 2, ticketPrice: '5.00', passStripeFees: true }],
      buyer,
      ageConfirmation: true,
      termsAgreement: true,
      confirmationTokenId: 'ctoken_1',
    });
  });

  test('a bank’s challenge is answered in the browser, and the purchase completes', async () => {
    const fake = cartServer().on('POST /api/cart/complete-card-payment', {
      body: {
        ...COMPLETED_RESPONSE,
        success: false,
        status: 'requires_action',
        clientSecret: 'pi_1_secret_2',
      },
    });
    expect(await runCart(buildCartCardPurchase(cart, 1500, buyer))).toMatchObject({
      state: 'issued',
    });
    expect(fake.paths().at(-1)).toBe('POST /api/purchase-cart');
  });

  test('a declined card is not charged, and another card can pay', async () => {
    cartServer().on('POST /api/cart/complete-card-payment', {
      status: 402,
      body: { message: 'Your card was declined.', code: 'declined' },
    });
    expect(await runCart(buildCartCardPurchase(cart, 1500, buyer))).toMatchObject({
      state: 'choosing',
      error: { title: 'Payment failed', text: 'Your card was declined.' },
    });
    expect(currentAttempt('cart')).toMatchObject({ paying: false });
  });

  test.each([new TypeError('network'), { status: 500 }])(
    'a lost answer makes the outcome be requested, and nothing is paid again',
    async (answer) => {
      cartServer().on('POST /api/cart/complete-card-payment', answer);
      expect(await runCart(buildCartCardPurchase(cart, 1500, buyer))).toMatchObject({
        state: 'confirming',
      });
    },
  );

  test('a cart’s wallet sends its secret and token, and the consents in the background', async () => {
    const fake = cartServer().on('POST /api/payments/confirm-wallet', { body: COMPLETED_RESPONSE });
    expect(
      await runCart(
        buildCartWalletPurchase(cart, 1500, { name: 'Jo', email: 'jo@example.com', phone: '0400' }),
      ),
    ).toMatchObject({ state: 'issued' });
    expect(fake.requests[1]).toMatchObject({
      path: '/api/payments/confirm-wallet',
      body: { clientSecret: 'secret', confirmationTokenId: 'ctoken_1', kind: 'cart' },
    });
    expect(fake.requests[2]).toMatchObject({
      path: '/api/purchase-cart',
      body: { paymentIntentId: 'pi_1', ageConfirmation: true, termsAgreement: true },
    });
  });

  test('the checkout page’s wallet pays through the server, and an answer without tickets still counts', async () => {
    const fake = startServer().on('POST /api/process-wallet-payment', {
      body: { ...COMPLETED_RESPONSE, tickets: undefined },
    });
    let checkout = INITIAL_CHECKOUT;
    await carryOutPurchase(
      buildDrawWalletPurchase(
        singleOrder,
        { name: 'Jo', email: 'jo@example.com', phone: '0400' },
        'checkout',
      ),
      makePaymentGateway({ kind: 'authorised' }),
      (event) => (checkout = reduceCheckout(checkout, event)),
    );
    expect(checkout).toEqual({ state: 'issued', tickets: [] });
    expect(fake.requests[1]?.body).toEqual({
      drawNumber: 1042,
      ticketCount: 2,
      confirmationTokenId: 'ctoken_1',
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
    const two = addItem(
      cart,
      cartItemOf(makeDraw({ id: 1043, drawNumber: 1043, awayTeam: 'Ipswich Jets' }), 3),
    );
    const text = 'Only 1 tickets remaining. Please adjust your selection.';
    expect(await runCart(buildCartCardPurchase(two, 2500, buyer))).toMatchObject({
      state: 'choosing',
      error: { text: `${text} (Redcliffe Sharks v Ipswich Jets)` },
    });
    expect(await runCart(buildCartCardPurchase(cart, 1500, buyer))).toMatchObject({
      state: 'choosing',
      error: { text },
    });
  });

  test('the same contents within two minutes use the same secret', async () => {
    const fake = cartServer().on(
      'POST /api/cart/complete-card-payment',
      { status: 402, body: { message: 'no' } },
      { body: COMPLETED_RESPONSE },
    );
    await runCart(buildCartCardPurchase(cart, 1500, buyer));
    let checkout = INITIAL_CHECKOUT;
    await carryOutPurchase(
      buildCartCardPurchase(cart, 1500, buyer),
      makePaymentGateway({ kind: 'authorised' }),
      (event) => (checkout = reduceCheckout(checkout, event)),
    );
    expect(checkout.state).toBe('issued');
    expect(fake.paths().filter((path) => path.endsWith('create-payment-intent'))).toHaveLength(1);
  });
});

test('a wallet supplies the buyer’s details', async () => {
  const fake = startServer();
  let checkout = INITIAL_CHECKOUT;
  await carryOutPurchase(
    buildDrawWalletPurchase(singleOrder, { name: 'Jo', email: 'jo@example.com', phone: '0400' }),
    makePaymentGateway({ kind: 'authorised' }),
    (event) => (checkout = reduceCheckout(checkout, event)),
  );
  expect(checkout.state).toBe('issued');
  expect(fake.paths()).toEqual(['POST /api/create-payment-intent', 'POST /api/purchase-tickets']);
  expect(fake.requests[0]?.body).toMatchObject({
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
    const fake = startServer();
    await carryOutPurchase(
      buildDrawWalletPurchase(
        singleOrder,
        payerWithTypedName({ name, email: 'jo@example.com' }, { name: typed }),
      ),
      makePaymentGateway({ kind: 'authorised' }),
      () => {},
    );
    expect(fake.requests[0]?.body).toMatchObject({
      customerInfo: { name: buyerName, email: 'jo@example.com' },
    });
    expect(fake.requests[1]?.body).toMatchObject({ buyer: { buyerName } });
  },
);
