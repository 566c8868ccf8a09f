import { expect, test } from 'vitest';
import type { IntentResponse } from '@/api/wire';
import { dropCachedSecret, cacheSecret, cachedSecret } from './secret-cache';

const makeIntentResponse = (seconds: number): IntentResponse => ({
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
  const long = makeIntentResponse(600);
  cacheSecret('cart', '1001×2', long, 0);
  expect([
    cachedSecret('cart', '1001×2', 119_999),
    cachedSecret('cart', '1001×2', 120_000),
    cachedSecret('cart', '1001×3', 1),
  ]).toEqual([long, null, null]);
  cacheSecret('cart', '1001×3', makeIntentResponse(30), 0);
  expect([cachedSecret('cart', '1001×2', 1), cachedSecret('cart', '1001×3', 30_000)]).toEqual([
    null,
    null,
  ]);
  expect(cachedSecret('cart', '1001×3', 29_999)).not.toBeNull();
  dropCachedSecret('cart');
  expect(cachedSecret('cart', '1001×3', 1)).toBeNull();
});
