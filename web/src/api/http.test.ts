import { afterEach, expect, test, vi } from 'vitest';
import { FakeServer } from '@/testing/fake-server';
import { HttpError, get, isCachedResponse, onServerTime, withRetry, post } from './http';
import { reconnectPause } from './live-socket';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('error response becomes a problem with status, body and message', async () => {
  new FakeServer().on('GET /api/x', {
    status: 409,
    body: { message: 'Only 3 left', code: 'tickets-unavailable', available: 3 },
  });
  const error = await get('/api/x').catch((problem: HttpError) => problem);
  expect(error).toBeInstanceOf(HttpError);
  expect((error as HttpError).message).toBe(
    '409: {"message":"Only 3 left","code":"tickets-unavailable","available":3}',
  );
  expect((error as HttpError).body.message).toBe('Only 3 left');
});

test('response with the server’s time yields one clock sample', async () => {
  new FakeServer().on('GET /api/x', { headers: { 'x-server-time': '1700000000000' } });
  const taken: number[] = [];
  const stop = onServerTime((sample) => taken.push(sample.offset));
  await get('/api/x');
  stop();
  expect(taken).toHaveLength(1);
});

test('response from the service worker’s cache is marked as a copy', async () => {
  new FakeServer().on('GET /api/x', { headers: { 'x-copy': 'yes' } }, {});
  expect([
    isCachedResponse(await get<object>('/api/x')),
    isCachedResponse(await get<object>('/api/x')),
  ]).toEqual([true, false]);
});

test('busy server gets at most three attempts, a refusal gets one', async () => {
  vi.useFakeTimers();
  const server = new FakeServer()
    .on(
      'POST /api/x',
      { status: 503, headers: { 'retry-after': '1' } },
      { status: 429 },
      { body: { ok: true } },
    )
    .on('POST /api/y', { status: 409 });
  const busy = vi.fn();
  const answer = withRetry(() => post('/api/x', {}), busy);
  await vi.runAllTimersAsync();
  expect(await answer).toEqual({ ok: true });
  expect(busy).toHaveBeenCalledTimes(2);
  await expect(withRetry(() => post('/api/y', {}))).rejects.toThrow('409');
  expect(server.paths()).toEqual(['POST /api/x', 'POST /api/x', 'POST /api/x', 'POST /api/y']);
});

test('reconnect pause grows from 250 ms to at most 30 seconds', () => {
  expect(reconnectPause(0, 0)).toBe(250);
  expect(reconnectPause(0, 1)).toBe(500);
  expect(reconnectPause(3, 0.5)).toBe(2_000);
  expect(reconnectPause(1_000, 1)).toBe(30_000);
});
