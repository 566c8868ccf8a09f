import { createStore } from 'jotai';
import { afterEach, expect, test, vi } from 'vitest';
import { get } from '@/api/http';
import type { Draw } from '@/api/wire';
import { makeDraw } from '@/testing/draw-data';
import { FakeServer } from '@/testing/fake-server';
import { liveConnectionAtom, drawAtom, receiveDrawsAtom, receiveDrawListAtom } from './live-atoms';

afterEach(() => {
  vi.unstubAllGlobals();
});

test('a cached answer is shown but does not count as contact with the server', async () => {
  const copied = { 'x-copy': 'yes' };
  new FakeServer()
    .on('GET /api/draws/1042', { body: makeDraw(), headers: copied }, { body: makeDraw() })
    .on('GET /api/draws/active', { body: [makeDraw({ drawNumber: 1043 })], headers: copied });
  const store = createStore();
  store.set(receiveDrawsAtom, [await get<Draw>('/api/draws/1042')]);
  store.set(receiveDrawListAtom, 'active', await get<Draw[]>('/api/draws/active'));
  expect([store.get(drawAtom(1042))?.ticketsSold, store.get(drawAtom(1043))?.ticketsSold]).toEqual([
    113, 113,
  ]);
  expect(store.get(liveConnectionAtom).lastContactAt).toBeNull();
  store.set(receiveDrawsAtom, [await get<Draw>('/api/draws/1042')]);
  expect(store.get(liveConnectionAtom).lastContactAt).not.toBeNull();
});
