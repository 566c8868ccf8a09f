import { afterEach, expect, test, vi } from 'vitest';
import { FakeServer } from '@/testing/fake-server';
import { priceOf } from '@/shared/money';
import { aDraw } from '@/testing/a-draw';
import { attemptOf } from './attempt';
import { CHOOSING, advance, type Checkout, type Happening } from './checkout';
import { pay } from './pay';
import type { Confirmation, PaymentSurface } from './payment-surface';
import { cardPurchase, walletPurchase } from './single-purchase';

afterEach(() => vi.unstubAllGlobals());

const INTENT = { clientSecret: 'secret', paymentIntentId: 'pi_1', amount: 1047, connectedAccountId: 'acct_1', reservationId: 'r', orderToken: 't', expiresAt: '2026-11-20T09:02:00Z', serverTime: 0, ticketCount: 2 };
const DONE = { success: true, status: 'succeeded', paymentIntentId: 'pi_1', orderToken: 't', tickets: [{ ticketNumber: 114, serialNumber: 'FD-1042-114', homeNumber: 7, awayNumber: 9 }] };
const buyer = { buyerName: 'Jo', buyerEmail: 'jo@example.com', buyerPhone: '0400 000 000' };
const order = { draw: aDraw(), count: 2, price: priceOf(500, 2, true) };
const surface = (confirmation: Confirmation, incomplete: string | null = null): PaymentSurface => ({ submit: async () => incomplete, confirm: async () => confirmation });

function server() {
  return new FakeServer()
    .on('POST /api/validate-purchase', { body: { valid: true, errors: [] } })
    .on('POST /api/create-payment-intent', { body: INTENT })
    .on('POST /api/complete-card-payment', { body: DONE })
    .on('POST /api/purchase-tickets', { body: DONE });
}

async function run(confirmation: Confirmation = { kind: 'authorised' }, incomplete: string | null = null): Promise<Checkout> {
  let checkout = CHOOSING;
  await pay(cardPurchase(order, buyer), surface(confirmation, incomplete), (happening: Happening) => (checkout = advance(checkout, happening)));
  return checkout;
}

test('a card purchase is checked, opened, confirmed and completed, in this order and once each', async () => {
  const fake = server();
  expect(await run()).toEqual({ at: 'issued', tickets: DONE.tickets });
  expect(fake.paths()).toEqual(['POST /api/validate-purchase', 'POST /api/create-payment-intent', 'POST /api/complete-card-payment']);
  expect(fake.asked[1]?.body).toMatchObject({ drawNumber: 1042, ticketCount: 2, expectedAmount: 1047, buyer });
  expect(fake.asked[2]?.body).toMatchObject({ paymentIntentId: 'pi_1', ageConfirmation: true, termsAgreement: true });
  expect(attemptOf('draw:1042')).toBeNull();
});

test('incomplete card details ask the server nothing', async () => {
  const fake = server();
  expect(await run(undefined, 'Your card number is incomplete.')).toMatchObject({ at: 'choosing', trouble: { text: 'Your card number is incomplete.' } });
  expect(fake.asked).toEqual([]);
});

test('a decline keeps the attempt’s key, so the next try is the same payment', async () => {
  const fake = server();
  expect(await run({ kind: 'declined', message: 'Your card was declined.' })).toMatchObject({ at: 'choosing', trouble: { title: 'Payment Failed' } });
  const key = attemptOf('draw:1042')?.clientKey;
  await run();
  const keys = fake.asked.filter(({ path }) => path === '/api/create-payment-intent').map(({ body }) => (body as { clientKey: string }).clientKey);
  expect(keys).toEqual([key, key]);
});

test('too few tickets says how many there are', async () => {
  server().on('POST /api/create-payment-intent', { status: 409, body: { message: 'Tickets No Longer Available: Only 1 tickets remaining. Please adjust your selection.', code: 'tickets-unavailable', available: 1 } });
  expect(await run()).toMatchObject({ at: 'choosing', order: null, trouble: { available: 1 } });
});

test('tickets that could not be had after all mean that nobody was charged', async () => {
  server().on('POST /api/complete-card-payment', { status: 409, body: { message: 'This draw has closed. You have not been charged.' } });
  expect(await run()).toEqual({ at: 'notCharged', reason: 'This draw has closed. You have not been charged.', refunding: false });
});

test.each([
  ['the network fails while it is completed', { kind: 'authorised' } as const, new TypeError('network')],
  ['the server fails while it is completed', { kind: 'authorised' } as const, { status: 500 }],
  ['it is still under way', { kind: 'authorised' } as const, { body: { ...DONE, success: false, status: 'processing', tickets: [] } }],
  ['the provider cannot say', { kind: 'unsure' } as const, { body: DONE }],
])('a payment is confirmed by asking, never paid again, when %s', async (_when, confirmation, answer) => {
  server().on('POST /api/complete-card-payment', answer);
  expect(await run(confirmation)).toMatchObject({ at: 'confirming', order: { orderToken: 't' } });
  expect(attemptOf('draw:1042')).toMatchObject({ paying: true, orderToken: 't' });
});

test('a wallet brings the buyer with it', async () => {
  const fake = server();
  let checkout = CHOOSING;
  await pay(walletPurchase(order, { name: 'Jo', email: 'jo@example.com', phone: '0400' }), surface({ kind: 'authorised' }), (happening) => (checkout = advance(checkout, happening)));
  expect(checkout.at).toBe('issued');
  expect(fake.paths()).toEqual(['POST /api/create-payment-intent', 'POST /api/purchase-tickets']);
  expect(fake.asked[0]?.body).toMatchObject({ customerInfo: { name: 'Jo', email: 'jo@example.com', phone: '0400' } });
});
