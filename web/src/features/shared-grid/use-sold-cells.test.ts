import { act, renderHook } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { FakeServer } from '@/testing/fake-server';
import { JERSEY_NUMBER_MAX, TICKETS_PER_DRAW } from '@/shared/draw-size';
import { useSoldCells } from './use-sold-cells';

const REQUEST_INTERVAL_MS = 30_000;
const PATH = 'GET /api/draws/1042/tickets';

/** The tickets of a draw of which only the first is sold. Pairs are null before the reveal. */
const makeTickets = (revealed: boolean) =>
  Array.from({ length: TICKETS_PER_DRAW }, (_, cell) => ({
    sold: cell === 0,
    homeNumber: revealed ? Math.floor(cell / JERSEY_NUMBER_MAX) + 1 : null,
    awayNumber: revealed ? (cell % JERSEY_NUMBER_MAX) + 1 : null,
  }));
const advance = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
/** Advances in steps, because React runs effects only at the end of each `act`. */
async function advanceIntervals(count: number): Promise<void> {
  for (let step = 0; step < count; step++) await advance(REQUEST_INTERVAL_MS);
}

beforeEach(() => {
  vi.useFakeTimers();
});

test('response before the reveal is repeated until the pairs are revealed', async () => {
  const server = new FakeServer().on(
    PATH,
    { body: makeTickets(false) },
    { body: makeTickets(false) },
    { body: makeTickets(true) },
  );
  const { result } = renderHook(() => useSoldCells(1042));
  await advance(0);
  expect(result.current).toMatchObject({ sold: null, failed: false });
  await advanceIntervals(2);
  expect(result.current.sold?.size).toBe(1);
  await advanceIntervals(4);
  expect(server.requests).toHaveLength(3);
});

test('failed request is repeated until it succeeds', async () => {
  const server = new FakeServer().on(PATH, { status: 500 }, { body: makeTickets(true) });
  const { result } = renderHook(() => useSoldCells(1042));
  await advance(0);
  expect(result.current).toMatchObject({ sold: null, failed: true });
  await advanceIntervals(4);
  expect(result.current).toMatchObject({ failed: false });
  expect(result.current.sold?.size).toBe(1);
  expect(server.requests).toHaveLength(2);
});
