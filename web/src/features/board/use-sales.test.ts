import { act, renderHook } from '@testing-library/react';
import { beforeEach, expect, test, vi } from 'vitest';
import { useRecentSales } from './use-sales';

beforeEach(() => {
  vi.useFakeTimers();
});

const renderSales = (sold: number) =>
  renderHook(({ sold, isLive }) => sold - useRecentSales(sold, isLive), {
    initialProps: { sold, isLive: true },
  });
const advance = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));

test('tickets are just sold for eight seconds, each sale for its own', async () => {
  const { result, rerender } = renderSales(100);
  expect(result.current).toBe(0);
  rerender({ sold: 103, isLive: true });
  expect(result.current).toBe(3);
  await advance(5_000);
  rerender({ sold: 105, isLive: true });
  expect(result.current).toBe(5);
  await advance(3_000);
  expect(result.current).toBe(2);
  await advance(5_000);
  expect(result.current).toBe(0);
});

test('tickets sold during an outage are not just sold', () => {
  const { result, rerender } = renderSales(100);
  rerender({ sold: 100, isLive: false });
  rerender({ sold: 140, isLive: true });
  expect(result.current).toBe(0);
  rerender({ sold: 141, isLive: true });
  expect(result.current).toBe(1);
});

test('a ticket that comes back is not a sale', () => {
  const { result, rerender } = renderSales(100);
  rerender({ sold: 98, isLive: true });
  expect(result.current).toBe(0);
});
