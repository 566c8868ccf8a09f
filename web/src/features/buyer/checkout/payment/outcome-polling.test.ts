import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FakeServer } from '@/testing/fake-server';
import { startOutcomePolling } from './outcome-polling';

const POLL_CALL = 'POST /api/complete-card-payment';
const NO_CARD = { body: { status: 'requires_payment_method' } };
const PROCESSING = { body: { status: 'processing' } };
const MISMATCH = { status: 409, body: { code: 'payment-mismatch', message: 'In review.' } };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Polls as often as there are responses and returns what each poll reported. */
async function reportsOf(...responses: Parameters<FakeServer['on']>[1][]) {
  new FakeServer().on(POLL_CALL, ...responses);
  const reports: unknown[][] = [];
  let reported: unknown[] = [];
  const stop = startOutcomePolling('draw:1042', 'pi_1', (outcome) => reported.push(outcome));
  for (const [index] of responses.entries()) {
    await vi.advanceTimersByTimeAsync(index === 0 ? 0 : 4_000);
    reports.push(reported);
    reported = [];
  }
  stop();
  return reports;
}

test('the second "no card accepted" response in a row is reported', async () => {
  expect(await reportsOf(NO_CARD, NO_CARD)).toEqual([[], ['untouched']]);
});

test.each([
  ['a failed request', new TypeError('Failed to fetch')],
  ['an unknown outcome', PROCESSING],
])('%s restarts the count', async (_name, between) => {
  expect(await reportsOf(NO_CARD, between, NO_CARD, NO_CARD)).toEqual([[], [], [], ['untouched']]);
});

test('a refusal is reported at once', async () => {
  expect(await reportsOf(MISMATCH)).toEqual([[{ type: 'unsure', serverMessage: 'In review.' }]]);
});

test('a stopped poller reports nothing and sends no more requests', async () => {
  const server = new FakeServer().on(POLL_CALL, NO_CARD);
  const report = vi.fn();
  const stop = startOutcomePolling('draw:1042', 'pi_1', report);
  await vi.advanceTimersByTimeAsync(0);
  stop();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(server.paths()).toEqual([POLL_CALL]);
  expect(report).not.toHaveBeenCalled();
});
