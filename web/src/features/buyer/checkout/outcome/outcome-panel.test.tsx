import { expect, test } from 'vitest';
import { renderScreen } from '@/testing/render-screen';
import type { Checkout } from '../state/checkout';
import { OutcomePanel } from './outcome-panel';

const orderIds = { orderToken: 't', paymentIntentId: 'pi_12345678' };
const panelText = (checkout: Checkout) =>
  renderScreen(<OutcomePanel checkout={checkout} onRetry={() => {}} />).container.textContent;

test.each(['confirming', 'lost'] as const)(
  'a payment that does not match its order promises neither tickets nor a refund (%s)',
  (at) => {
    const text = panelText({
      state: at,
      order: orderIds,
      serverMessage:
        'This payment does not match your order. We are looking into it; please contact support.',
    });
    expect(text).toContain(
      'We are looking into it; please contact support. Please do not pay again.',
    );
    expect(text).not.toMatch(/charged|refunded|tickets come/);
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
  (reason, refunding, text) => {
    expect(panelText({ state: 'notCharged', reason, refunding })).toContain(
      `No tickets were bought. ${text}Back`,
    );
  },
);
