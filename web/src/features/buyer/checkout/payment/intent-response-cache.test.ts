import { expect, test } from 'vitest';
import type { IntentResponse } from '@/api/wire';
import {
  dropCachedIntentResponse,
  cacheIntentResponse,
  readCachedIntentResponse,
} from './intent-response-cache';

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

test('only the latest response is cached, for two minutes and never past its reservation', () => {
  const long = makeIntentResponse(600);
  cacheIntentResponse('cart', '1001×2', long, 0);
  expect([
    readCachedIntentResponse('cart', '1001×2', 119_999),
    readCachedIntentResponse('cart', '1001×2', 120_000),
    readCachedIntentResponse('cart', '1001×3', 1),
  ]).toEqual([long, null, null]);
  cacheIntentResponse('cart', '1001×3', makeIntentResponse(30), 0);
  expect([
    readCachedIntentResponse('cart', '1001×2', 1),
    readCachedIntentResponse('cart', '1001×3', 30_000),
  ]).toEqual([null, null]);
  expect(readCachedIntentResponse('cart', '1001×3', 29_999)).not.toBeNull();
  dropCachedIntentResponse('cart');
  expect(readCachedIntentResponse('cart', '1001×3', 1)).toBeNull();
});
