import { expect, test } from 'vitest';
import type { IntentAnswer } from '@/api/wire';
import { forgetSecret, keepSecret, keptSecret } from './secret-cache';

const answer = (seconds: number): IntentAnswer => ({
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

test('only the latest secret is cached, for two minutes and never past its reservation', () => {
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
