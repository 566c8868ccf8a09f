import { expect, test } from 'vitest';
import { logCartEvent, readCartLog } from './cart-log';

const STORAGE_KEY = 'fd_cart_log';

test('logged events are read back in order', () => {
  logCartEvent('1 line');
  logCartEvent('2 lines');
  expect(readCartLog().map((line) => line.what)).toEqual(['1 line', '2 lines']);
});

test('stored lines of a deployed version stay when an event is added', () => {
  const storedLine = { at: '2026-11-21T03:45:56.000Z', what: '1 line' };
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify([storedLine]));
  logCartEvent('2 lines');
  const stored: unknown = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null');
  expect(stored).toEqual([storedLine, { at: expect.any(String), what: '2 lines' }]);
});

test('log keeps the newest fifty lines', () => {
  for (let line = 1; line <= 51; line++) logCartEvent(`event ${line}`);
  const log = readCartLog();
  expect([log.length, log[0]?.what, log[49]?.what]).toEqual([50, 'event 2', 'event 51']);
});
