import { expect, test } from 'vitest';
import { HttpError } from '@/api/http';
import {
  applePayUnavailableError,
  declinedError,
  unexpectedError,
  incompleteCardError,
  validationError,
  ticketsNotAllocatedError,
  paymentOpeningError,
  paymentNotReadyError,
  unexpectedStatusError,
  validationRequestError,
  consentsMissingError,
  walletStartError,
} from './error-catalogue';
import type { CheckoutError } from '../state/checkout';

const httpError = (status: number, body: object = {}) =>
  new HttpError(status, JSON.stringify(body), '', null);
const textOf = ({ title, text }: CheckoutError) => `${title}: ${text}`;
const networkError = new TypeError('Failed to fetch');

// Rows of the specification's error catalogue (specification lines A:258-286), byte for byte.
test.each<[string, CheckoutError, string]>([
  [
    'the draw page cannot open a payment: the server’s words',
    paymentOpeningError('draw', 'card', httpError(409, { message: 'No.' })),
    'Payment Setup Failed: No.',
  ],
  [
    'the draw page cannot open a payment: no words',
    paymentOpeningError('draw', 'card', httpError(500)),
    'Payment Setup Failed: Failed to create payment intent',
  ],
  [
    'the draw page reaches nobody',
    paymentOpeningError('draw', 'card', networkError),
    'Payment Setup Failed: Could not set up payment. Please try again.',
  ],
  [
    'the draw page’s wallet cannot open a payment',
    paymentOpeningError('draw', 'wallet', httpError(500)),
    'Payment failed: Failed to create payment intent',
  ],
  [
    'the draw page’s wallet reaches nobody',
    paymentOpeningError('draw', 'wallet', networkError),
    'Payment failed: Wallet payment failed. Please try again.',
  ],
  [
    'the checkout cannot open a payment',
    paymentOpeningError('checkout', 'card', httpError(500)),
    'Payment Setup Error: Failed to create payment intent',
  ],
  [
    'the checkout’s form is refused',
    paymentOpeningError('checkout', 'card', httpError(400, { message: 'x' })),
    'Form Validation Error: Please check that all required fields are completed correctly.',
  ],
  [
    'the checkout reaches nobody',
    paymentOpeningError('checkout', 'card', networkError),
    'Payment Setup Error: Unable to initialize payment. Please refresh the page and try again.',
  ],
  [
    'the checkout’s wallet reaches nobody',
    paymentOpeningError('checkout', 'wallet', networkError),
    'Wallet Payment Error: Could not initialize wallet payment.',
  ],
  [
    'the cart cannot open a payment',
    paymentOpeningError('cart', 'card', httpError(500)),
    'Payment Setup Error: Failed to create cart payment intent',
  ],
  [
    'the cart cannot open a payment: the server’s words',
    paymentOpeningError('cart', 'card', httpError(400, { message: 'A cart holds 1 to 20 draws.' })),
    'Payment Setup Error: A cart holds 1 to 20 draws.',
  ],
  [
    'the cart reaches nobody',
    paymentOpeningError('cart', 'card', networkError),
    'Payment Setup Error: Failed to initialize payment',
  ],
  [
    'others were faster',
    paymentOpeningError(
      'draw',
      'card',
      httpError(409, { code: 'tickets-unavailable', available: 3 }),
    ),
    'Tickets No Longer Available: Only 3 tickets remaining. Please adjust your selection.',
  ],
  [
    'the network may hold no more',
    paymentOpeningError(
      'draw',
      'card',
      httpError(409, {
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
    paymentOpeningError('cart', 'card', httpError(503, { code: 'maintenance' })),
    "System Maintenance in Progress: We're doing some maintenance. We won't be long, check back in a couple of minutes.",
  ],
  [
    'the draw page’s library is still coming',
    paymentNotReadyError('draw', false),
    'Payment Error: Payment system not ready. Please try again.',
  ],
  [
    'the checkout’s library is still coming',
    paymentNotReadyError('checkout', false),
    'Payment System Not Ready: Please wait a moment and try again.',
  ],
  [
    'the cart’s library is still coming',
    paymentNotReadyError('cart', false),
    'Payment Setup Error: Payment system is initializing. Please wait a moment and try again.',
  ],
  [
    'the library could not be had',
    paymentNotReadyError('cart', true),
    'Payment System Error: Payment system is not ready. Please refresh the page and try again.',
  ],
  [
    'a wallet before the boxes, on the draw page',
    consentsMissingError('draw'),
    'Missing confirmation: Please confirm your age and accept the terms before proceeding.',
  ],
  [
    'a wallet before the boxes, on the checkout',
    consentsMissingError('checkout'),
    'Confirmation Required: Please confirm your age and agree to terms before proceeding.',
  ],
  [
    'a half typed card on the checkout',
    incompleteCardError('checkout', 'Your card number is incomplete.'),
    'Incomplete Payment Details: Please complete all payment information before proceeding.',
  ],
  [
    'a half typed card on the draw page',
    incompleteCardError('draw', 'Your card number is incomplete.'),
    'Payment Failed: Your card number is incomplete.',
  ],
  [
    'a decline on the draw page',
    declinedError('draw', 'card', 'Your card was declined.'),
    'Payment Failed: Your card was declined.',
  ],
  [
    'a decline without words on the draw page',
    declinedError('draw', 'card', null),
    'Payment Failed: There was an error processing your payment.',
  ],
  [
    'a decline without words on the checkout',
    declinedError('checkout', 'card', null),
    'Payment Error: Payment could not be processed. Please try again.',
  ],
  [
    'a decline without words in the cart',
    declinedError('cart', 'card', null),
    'Payment failed: Please check your card details or try another card.',
  ],
  [
    'a wallet’s decline on the draw page',
    declinedError('draw', 'wallet', null),
    'Payment failed: Wallet payment failed. Please try again.',
  ],
  [
    'a wallet’s decline on the checkout',
    declinedError('checkout', 'wallet', null),
    'Payment Failed: Wallet payment could not be processed.',
  ],
  [
    'a status that is no success',
    unexpectedStatusError('requires_action'),
    'Payment Incomplete: Payment status: requires_action. Please contact support.',
  ],
  [
    'the check says what is wrong',
    validationError(['You must be over 18 to purchase tickets', 'x']),
    'Purchase Validation Failed: You must be over 18 to purchase tickets',
  ],
  [
    'the check says that others were faster',
    validationError([
      'Tickets No Longer Available: Only 2 tickets remaining. Please adjust your selection.',
    ]),
    'Tickets No Longer Available: Only 2 tickets remaining. Please adjust your selection.',
  ],
  [
    'the check fails',
    validationRequestError('draw', httpError(500)),
    'Purchase Validation Failed: Please check your details and try again.',
  ],
  [
    'the check refuses the checkout’s form',
    validationRequestError('checkout', httpError(400)),
    'Form Validation Error: Please check that all required fields are completed correctly.',
  ],
  [
    'anything else on the checkout',
    unexpectedError('checkout', networkError),
    'Payment Processing Error: Error: Failed to fetch. Please try again.',
  ],
  [
    'anything else on the draw page',
    unexpectedError('draw', networkError),
    'Purchase Failed: There was an error completing your purchase. Please try again.',
  ],
  [
    'tickets that could not be had',
    ticketsNotAllocatedError,
    'Purchase Failed: There was an error completing your purchase. Please try again.',
  ],
  [
    'no Apple Pay on the device',
    applePayUnavailableError,
    'Apple Pay Unavailable: Apple Pay is not available on this device. Please use card payment.',
  ],
  [
    'a wallet that does not start',
    walletStartError,
    'Wallet Payment Error: Could not initialize wallet payment.',
  ],
])('%s', (_situation, trouble, text) => {
  expect(textOf(trouble)).toBe(text);
});

test('too few tickets also returns how many are left, so that the count can be corrected', () => {
  expect(
    paymentOpeningError(
      'checkout',
      'card',
      httpError(409, {
        code: 'tickets-unavailable',
        available: 3,
        message:
          'Tickets No Longer Available: Only 3 tickets remaining. Please adjust your selection.',
      }),
    ).available,
  ).toBe(3);
  expect(
    validationError([
      'Tickets No Longer Available: Only 2 tickets remaining. Please adjust your selection.',
    ]).available,
  ).toBe(2);
  expect(validationError(['You must be over 18 to purchase tickets']).available).toBeUndefined();
});

test.each(['draw', 'checkout', 'cart'] as const)(
  'a changed total makes the %s screen reload the price',
  (place) => {
    expect(
      paymentOpeningError(place, 'card', httpError(409, { code: 'amount-changed', amount: 539 }))
        .stale,
    ).toBe(true);
    expect(
      paymentOpeningError(place, 'card', httpError(409, { code: 'too-many-reserved' })).stale,
    ).toBeUndefined();
  },
);
