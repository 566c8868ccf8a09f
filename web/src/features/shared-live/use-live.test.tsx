import { act } from '@testing-library/react';
import { Provider, useAtomValue } from 'jotai';
import type { ReactNode } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeDraw } from '@/testing/draw-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { drawListAtom, receiveDrawListAtom } from './live-atoms';
import { useLiveDrawList } from './use-live';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function ListUnderTest() {
  useLiveDrawList('active');
  return <p>{useAtomValue(drawListAtom('active'))?.join(' ')}</p>;
}

const makeDraws = (...numbers: number[]) => numbers.map((drawNumber) => makeDraw({ drawNumber }));
const advanceTime = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const shownDrawNumbers = () => document.querySelector('p')?.textContent;

/** Opens a page with draws 2 and 1 embedded. `at` then renders the list or another page. */
function renderPageWithDraws() {
  const { store, rerender } = renderScreen(null);
  store.set(receiveDrawListAtom, 'active', makeDraws(2, 1));
  return { at: (page: ReactNode) => rerender(<Provider store={store}>{page}</Provider>) };
}

test('a list embedded in the page is not requested at once, keeps its order, and reloads on return', async () => {
  const server = new FakeServer().on(
    'GET /api/draws/active',
    { body: makeDraws(3, 1) },
    { body: makeDraws(4, 3) },
    { body: makeDraws(5, 4, 3) },
  );
  const { at } = renderPageWithDraws();
  at(<ListUnderTest />);
  await advanceTime(0);
  expect([shownDrawNumbers(), server.requests.length]).toEqual(['2 1', 0]);
  await advanceTime(15_000);
  expect(shownDrawNumbers()).toBe('2 1 3');
  at(null);
  at(<ListUnderTest />);
  await advanceTime(0);
  expect([shownDrawNumbers(), server.requests.length]).toEqual(['4 3', 2]);
  await advanceTime(15_000);
  expect(shownDrawNumbers()).toBe('4 3 5');
});

test('a list that cannot be loaded on return stays until a later answer replaces it', async () => {
  new FakeServer().on('GET /api/draws/active', { status: 500 }, { body: makeDraws(4) });
  const { at } = renderPageWithDraws();
  at(<ListUnderTest />);
  at(null);
  at(<ListUnderTest />);
  await advanceTime(0);
  expect(shownDrawNumbers()).toBe('2 1');
  await advanceTime(15_000);
  expect(shownDrawNumbers()).toBe('4');
});
