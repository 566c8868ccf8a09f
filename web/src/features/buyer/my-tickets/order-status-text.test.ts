import { expect, test } from 'vitest';
import { hasNoTickets, orderStatusText } from './order-status-text';

const makeOrderOutcome = (
  status: string,
  reason: string | null = null,
  amount: string | null = null,
) => ({
  status,
  reason,
  refund: amount ? { state: 'pending', amount } : null,
});

test('a refunded order never says that its tickets are on their way', () => {
  expect(orderStatusText(makeOrderOutcome('refunding', null, '10.00'))).toBe(
    'This order has no valid tickets. $10.00 will be sent back to you. We will write to you when it is sent.',
  );
  expect(orderStatusText(makeOrderOutcome('refunded', 'The draw was cancelled.', '10.00'))).toBe(
    'The draw was cancelled. $10.00 was sent back to you. It shows on your statement within 5 to 10 business days.',
  );
  const failed = orderStatusText(makeOrderOutcome('refund_failed', null, '10.00'));
  expect(failed).toContain('You are still owed this money.');
  expect(failed).not.toContain('was sent back');
  for (const status of ['refunding', 'refunded', 'refund_failed', 'not_charged'])
    expect(hasNoTickets(makeOrderOutcome(status)), status).toBe(true);
});

test('issued tickets need no text, pending ones are announced, and no text claims a certain charge', () => {
  expect(orderStatusText(makeOrderOutcome('succeeded'))).toBeNull();
  expect(orderStatusText(makeOrderOutcome('processing'))).toBe('Your tickets are being issued …');
  expect(orderStatusText(makeOrderOutcome('requires_payment_method'))).toBe(
    'We are confirming your payment …',
  );
  expect(orderStatusText(makeOrderOutcome('not_charged'))).toBe(
    'No tickets were bought, and you have not been charged.',
  );
  for (const status of ['succeeded', 'processing', 'requires_payment_method'])
    expect(hasNoTickets(makeOrderOutcome(status)), status).toBe(false);
});
