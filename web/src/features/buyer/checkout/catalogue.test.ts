import { expect, test } from 'vitest';
import { Problem } from '@/api/http';
import {
  applePayMissing,
  declined,
  exception,
  incomplete,
  invalid,
  notAllocated,
  notOpened,
  notReady,
  notSucceeded,
  notValidated,
  unconfirmed,
  walletNotStarted,
} from './catalogue';
import type { CheckoutProblem } from './checkout';

const answered = (status: number, body: object = {}) =>
  new Problem(status, JSON.stringify(body), '', null);
const said = ({ title, text }: CheckoutProblem) => `${title}: ${text}`;
const lost = new TypeError('Failed to fetch');

// Every row of the specification's error catalogue that a buyer's form can reach (specification
// lines A:258-286), byte for byte.
test.each<[string, CheckoutProblem, string]>([
  [
    'the draw page cannot open a payment: the server’s words',
    notOpened('draw', 'card', answered(409, { message: 'No.' })),
    'Payment Setup Failed: No.',
  ],
  [
    'the draw page cannot open a payment: no words',
    notOpened('draw', 'card', answered(500)),
    'Payment Setup Failed: Failed to create payment intent',
  ],
  [
    'the draw page reaches nobody',
    notOpened('draw', 'card', lost),
    'Payment Setup Failed: Could not set up payment. Please try again.',
  ],
  [
    'the draw page’s wallet cannot open a payment',
    notOpened('draw', 'wallet', answered(500)),
    'Payment failed: Failed to create payment intent',
  ],
  [
    'the draw page’s wallet reaches nobody',
    notOpened('draw', 'wallet', lost),
    'Payment failed: Wallet payment failed. Please try again.',
  ],
  [
    'the checkout cannot open a payment',
    notOpened('checkout', 'card', answered(500)),
    'Payment Setup Error: Failed to create payment intent',
  ],
  [
    'the checkout’s form is refused',
    notOpened('checkout', 'card', answered(400, { message: 'x' })),
    'Form Validation Error: Please check that all required fields are completed correctly.',
  ],
  [
    'the checkout reaches nobody',
    notOpened('checkout', 'card', lost),
    'Payment Setup Error: Unable to initialize payment. Please refresh the page and try again.',
  ],
  [
    'the checkout’s wallet reaches nobody',
    notOpened('checkout', 'wallet', lost),
    'Wallet Payment Error: Could not initialize wallet payment.',
  ],
  [
    'the cart cannot open a payment',
    notOpened('cart', 'card', answered(500)),
    'Payment Setup Error: Failed to create cart payment intent',
  ],
  [
    'the cart cannot open a payment: the server’s words',
    notOpened('cart', 'card', answered(400, { message: 'A cart holds 1 to 20 draws.' })),
    'Payment Setup Error: A cart holds 1 to 20 draws.',
  ],
  [
    'the cart reaches nobody',
    notOpened('cart', 'card', lost),
    'Payment Setup Error: Failed to initialize payment',
  ],
  [
    'others were faster',
    notOpened('draw', 'card', answered(409, { code: 'tickets-unavailable', available: 3 })),
    'Tickets No Longer Available: Only 3 tickets remaining. Please adjust your selection.',
  ],
  [
    'the network may hold no more',
    notOpened(
      'draw',
      'card',
      answered(409, {
        code: 'hold-limit',
        available: 0,
        message:
          'Every ticket is taken for now: They are being paid for. Please try again in a moment.',
      }),
    ),
    'Every ticket is taken for now: They are being paid for. Please try again in a moment.',
  ],
  [
    'the service is maintained',
    notOpened('cart', 'card', answered(503, { code: 'maintenance' })),
    "System Maintenance in Progress: We're doing some maintenance. We won't be long, check back in a couple of minutes.",
  ],
  [
    'the draw page’s library is still coming',
    notReady('draw', false),
    'Payment Error: Payment system not ready. Please try again.',
  ],
  [
    'the checkout’s library is still coming',
    notReady('checkout', false),
    'Payment System Not Ready: Please wait a moment and try again.',
  ],
  [
    'the cart’s library is still coming',
    notReady('cart', false),
    'Payment Setup Error: Payment system is initializing. Please wait a moment and try again.',
  ],
  [
    'the library could not be had',
    notReady('cart', true),
    'Payment System Error: Payment system is not ready. Please refresh the page and try again.',
  ],
  [
    'a wallet before the boxes, on the draw page',
    unconfirmed('draw'),
    'Missing confirmation: Please confirm your age and accept the terms before proceeding.',
  ],
  [
    'a wallet before the boxes, on the checkout',
    unconfirmed('checkout'),
    'Confirmation Required: Please confirm your age and agree to terms before proceeding.',
  ],
  [
    'a half typed card on the checkout',
    incomplete('checkout', 'Your card number is incomplete.'),
    'Incomplete Payment Details: Please complete all payment information before proceeding.',
  ],
  [
    'a half typed card on the draw page',
    incomplete('draw', 'Your card number is incomplete.'),
    'Payment Failed: Your card number is incomplete.',
  ],
  [
    'a decline on the draw page',
    declined('draw', 'card', 'Your card was declined.'),
    'Payment Failed: Your card was declined.',
  ],
  [
    'a decline without words on the draw page',
    declined('draw', 'card', null),
    'Payment Failed: There was an error processing your payment.',
  ],
  [
    'a decline without words on the checkout',
    declined('checkout', 'card', null),
    'Payment Error: Payment could not be processed. Please try again.',
  ],
  [
    'a decline without words in the cart',
    declined('cart', 'card', null),
    'Payment failed: Please check your card details or try another card.',
  ],
  [
    'a wallet’s decline on the draw page',
    declined('draw', 'wallet', null),
    'Payment failed: Wallet payment failed. Please try again.',
  ],
  [
    'a wallet’s decline on the checkout',
    declined('checkout', 'wallet', null),
    'Payment Failed: Wallet payment could not be processed.',
  ],
  [
    'a status that is no success',
    notSucceeded('requires_action'),
    'Payment Incomplete: Payment status: requires_action. Please contact support.',
  ],
  [
    'the check says what is wrong',
    invalid(['You must be over 18 to purchase tickets', 'x']),
    'Purchase Validation Failed: You must be over 18 to purchase tickets',
  ],
  [
    'the check says that others were faster',
    invalid([
      'Tickets No Longer Available: Only 2 tickets remaining. Please adjust your selection.',
    ]),
    'Tickets No Longer Available: Only 2 tickets remaining. Please adjust your selection.',
  ],
  [
    'the check fails',
    notValidated('draw', answered(500)),
    'Purchase Validation Failed: Please check your details and try again.',
  ],
  [
    'the check refuses the checkout’s form',
    notValidated('checkout', answered(400)),
    'Form Validation Error: Please check that all required fields are completed correctly.',
  ],
  [
    'anything else on the checkout',
    exception('checkout', lost),
    'Payment Processing Error: Error: Failed to fetch. Please try again.',
  ],
  [
    'anything else on the draw page',
    exception('draw', lost),
    'Purchase Failed: There was an error completing your purchase. Please try again.',
  ],
  [
    'tickets that could not be had',
    notAllocated,
    'Purchase Failed: There was an error completing your purchase. Please try again.',
  ],
  [
    'no Apple Pay on the device',
    applePayMissing,
    'Apple Pay Unavailable: Apple Pay is not available on this device. Please use card payment.',
  ],
  [
    'a wallet that does not start',
    walletNotStarted,
    'Wallet Payment Error: Could not initialize wallet payment.',
  ],
])('%s', (_situation, trouble, words) => {
  expect(said(trouble)).toBe(words);
});

test('too few tickets also returns how many are left, so that the count can be corrected', () => {
  expect(
    notOpened(
      'checkout',
      'card',
      answered(409, {
        code: 'tickets-unavailable',
        available: 3,
        message:
          'Tickets No Longer Available: Only 3 tickets remaining. Please adjust your selection.',
      }),
    ).available,
  ).toBe(3);
  expect(
    invalid([
      'Tickets No Longer Available: Only 2 tickets remaining. Please adjust your selection.',
    ]).available,
  ).toBe(2);
  expect(invalid(['You must be over 18 to purchase tickets']).available).toBeUndefined();
});

test.each(['draw', 'checkout', 'cart'] as const)(
  'a changed total makes the %s screen reload the price',
  (place) => {
    expect(
      notOpened(place, 'card', answered(409, { code: 'amount-changed', amount: 539 })).stale,
    ).toBe(true);
    expect(
      notOpened(place, 'card', answered(409, { code: 'too-many-reserved' })).stale,
    ).toBeUndefined();
  },
);
