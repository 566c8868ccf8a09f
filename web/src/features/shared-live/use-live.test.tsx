import { act } from '@testing-library/react';
import { Provider, useAtomValue } from 'jotai';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { aDraw } from '@/testing/a-draw';
import { FakeServer } from '@/testing/fake-server';
import { show } from '@/testing/show';
import { listAtom, receiveListAtom } from './live-atoms';
import { useDrawList } from './use-live';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function List() {
  useDrawList('active');
  return <p>{useAtomValue(listAtom('active'))?.join(' ')}</p>;
}

const draws = (...numbers: number[]) => numbers.map((drawNumber) => aDraw({ drawNumber }));
const pass = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const shown = () => document.querySelector('p')?.textContent;

/** Renders a visit whose page carries draws 2 and 1. `at` opens the list or leaves it. */
function visit() {
  const { store, rerender } = show(null);
  store.set(receiveListAtom, 'active', draws(2, 1));
  return { at: (page: ReactNode) => rerender(<Provider store={store}>{page}</Provider>) };
}

test('a list embedded in the page is not requested at once, keeps its order, and reloads on return', async () => {
  const server = new FakeServer().on(
    'GET /api/draws/active',
    { body: draws(3, 1) },
    { body: draws(4, 3) },
    { body: draws(5, 4, 3) },
  );
  const { at } = visit();
  at(<List />);
  await pass(0);
  expect([shown(), server.asked.length]).toEqual(['2 1', 0]);
  await pass(15_000);
  expect(shown()).toBe('2 1 3');
  at(null);
  at(<List />);
  await pass(0);
  expect([shown(), server.asked.length]).toEqual(['4 3', 2]);
  await pass(15_000);
  expect(shown()).toBe('4 3 5');
});

test('a list that cannot be loaded on return stays until a later answer replaces it', async () => {
  new FakeServer().on('GET /api/draws/active', { status: 500 }, { body: draws(4) });
  const { at } = visit();
  at(<List />);
  at(null);
  at(<List />);
  await pass(0);
  expect(shown()).toBe('2 1');
  await pass(15_000);
  expect(shown()).toBe('4');
});
