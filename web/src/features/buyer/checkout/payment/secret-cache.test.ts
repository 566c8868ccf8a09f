import { expect, test } from 'vitest';
import type { IntentResponse } from '@/api/wire';
import { forgetSecret, keepSecret, keptSecret } from './secret-cache';

const answer = (seconds: number): IntentResponse => ({
  clientSecret: 's',
  paymentIntentId: 'pi',
  amount: 1,
  connectedAccountId: 'a',
  reservationId: 'r',
  orderToken: 't',
  ticketCount: 1,
  serverTime: '2026-11-20T09:00:00Z',
  expiresAt: new Date(Date.parse('2026-11-20T09:00:00Z') + seconds * 1000).toISOString(),
});

test('a secret is kept two minutes for its contents, never past its reservation, and only the latest', () => {
  const long = answer(600);
  keepSecret('cart', '1001×2', long, 0);
  expect([
    keptSecret('cart', '1001×2', 119_999),
    keptSecret('cart', '1001×2', 120_000),
    keptSecret('cart', '1001×3', 1),
  ]).toEqual([long, null, null]);
  keepSecret('cart', '1001×3', answer(30), 0);
  expect([keptSecret('cart', '1001×2', 1), keptSecret('cart', '1001×3', 30_000)]).toEqual([
    null,
    null,
  ]);
  expect(keptSecret('cart', '1001×3', 29_999)).not.toBeNull();
  forgetSecret('cart');
  expect(keptSecret('cart', '1001×3', 1)).toBeNull();
});
