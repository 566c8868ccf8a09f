import { expect, test } from 'vitest';
import { show } from '@/testing/show';
import type { Checkout } from './checkout';
import { OutcomePanel } from './outcome-panel';

const order = { orderToken: 't', paymentIntentId: 'pi_12345678' };
const told = (checkout: Checkout) => show(<OutcomePanel checkout={checkout} onAgain={() => {}} />).container.textContent;

test.each(['confirming', 'lost'] as const)('of a payment that does not match its order neither tickets nor money back are promised (%s)', (at) => {
  const words = told({ at, order, said: 'This payment does not match your order. We are looking into it; please contact support.' });
  expect(words).toContain('We are looking into it; please contact support. Please do not pay again.');
  expect(words).not.toMatch(/charged|refunded|tickets come/);
});
