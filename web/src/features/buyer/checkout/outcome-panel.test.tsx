import { expect, test } from 'vitest';
import { show } from '@/testing/show';
import type { Checkout } from './checkout';
import { OutcomePanel } from './outcome-panel';

const order = { orderToken: 't', paymentIntentId: 'pi_12345678' };
const told = (checkout: Checkout) =>
  show(<OutcomePanel checkout={checkout} onAgain={() => {}} />).container.textContent;

test.each(['confirming', 'lost'] as const)(
  'a payment that does not match its order promises neither tickets nor a refund (%s)',
  (at) => {
    const words = told({
      at,
      order,
      said: 'This payment does not match your order. We are looking into it; please contact support.',
    });
    expect(words).toContain(
      'We are looking into it; please contact support. Please do not pay again.',
    );
    expect(words).not.toMatch(/charged|refunded|tickets come/);
  },
);

test.each<[string, boolean, string]>([
  ['Reservation expired', false, 'Reservation expired. You have not been charged.'],
  ['', false, 'You have not been charged.'],
  ['The purchase was cancelled.', false, 'The purchase was cancelled. You have not been charged.'],
  ['The draw was cancelled.', true, 'The draw was cancelled. Your payment is being refunded.'],
  [
    'This draw has closed. You have not been charged.',
    false,
    'This draw has closed. You have not been charged.',
  ],
])(
  'why there are no tickets (%j) is a sentence of its own before what becomes of the money',
  (reason, refunding, words) => {
    expect(told({ at: 'notCharged', reason, refunding })).toContain(
      `No tickets were bought. ${words}Back`,
    );
  },
);
