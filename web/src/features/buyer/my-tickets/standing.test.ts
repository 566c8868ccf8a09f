import { expect, test } from 'vitest';
import { isOver, standingOf } from './standing';

const order = (status: string, reason: string | null = null, amount: string | null = null) => ({
  status,
  reason,
  refund: amount ? { state: 'pending', amount } : null,
});

test('a refunded order never says that its tickets are on their way', () => {
  expect(standingOf(order('refunding', null, '10.00'))).toBe(
    'This order has no valid tickets. $10.00 is on its way back to you.',
  );
  expect(standingOf(order('refunded', 'The draw was cancelled.', '10.00'))).toBe(
    'The draw was cancelled. $10.00 was sent back to you. It shows on your statement within 5 to 10 business days.',
  );
  for (const status of ['refunding', 'refunded', 'not_charged'])
    expect(isOver(order(status)), status).toBe(true);
});

test('issued tickets need no text, pending ones are announced, and no text claims a certain charge', () => {
  expect(standingOf(order('succeeded'))).toBeNull();
  expect(standingOf(order('processing'))).toBe('Your tickets are being issued …');
  expect(standingOf(order('requires_payment_method'))).toBe('We are confirming your payment …');
  expect(standingOf(order('not_charged'))).toBe(
    'No tickets were bought, and you have not been charged.',
  );
  for (const status of ['succeeded', 'processing', 'requires_payment_method'])
    expect(isOver(order(status)), status).toBe(false);
});
