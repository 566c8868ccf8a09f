import { afterEach, expect, test, vi } from 'vitest';
import { FakeServer } from '@/testing/fake-server';
import { HttpError, get, isCachedResponse, onServerTime, withRetry, post } from './http';
import { reconnectPause } from './live-socket';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('a refusal becomes an error with its status and body, and what the server said to a person', async () => {
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

test('every answer that carries the server’s time sets the clock', async () => {
  new FakeServer().on('GET /api/x', { headers: { 'x-server-time': '1700000000000' } });
  const taken: number[] = [];
  const stop = onServerTime((sample) => taken.push(sample.offset));
  await get('/api/x');
  stop();
  expect(taken).toHaveLength(1);
});

test('what the worker kept of an earlier answer is known for it', async () => {
  new FakeServer().on('GET /api/x', { headers: { 'x-copy': 'yes' } }, {});
  expect([
    isCachedResponse(await get<object>('/api/x')),
    isCachedResponse(await get<object>('/api/x')),
  ]).toEqual([true, false]);
});

test('a busy server is asked again at most three times, a full one not', async () => {
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

test('a lost socket is tried for ever, soon at first and never more than thirty seconds apart', () => {
  expect(reconnectPause(0, 0)).toBe(250);
  expect(reconnectPause(0, 1)).toBe(500);
  expect(reconnectPause(3, 0.5)).toBe(2_000);
  expect(reconnectPause(1_000, 1)).toBe(30_000);
});
