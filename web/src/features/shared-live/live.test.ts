import { describe, expect, test } from 'vitest';
import type { DrawUpdate, Frame } from '@/api/wire';
import { makeDraw } from '@/testing/draw-data';
import {
  EMPTY_LIVE_STATE,
  applyDraws,
  applyFrame,
  mergeDrawList,
  liveStateOfBoot,
  resetSequenceNumbers,
  replaceDrawList,
} from './live';

const makeDrawUpdate = (ticketsSold: number, more: Partial<DrawUpdate> = {}): DrawUpdate => ({
  drawNumber: 1042,
  status: 'active',
  ticketsSold,
  ticketsHeld: 0,
  ticketsAvailable: 169 - ticketsSold,
  currentPrize: '300.00',
  prizePoolCents: 30000,
  maxPrize: '430.00',
  gameDate: '2026-11-20T09:10:00Z',
  homeFirstTryScorer: null,
  awayFirstTryScorer: null,
  winningTicketSerial: null,
  winningTicketSold: null,
  ...more,
});
const makeFrame = (seq: number, sold: number): Frame => ({
  v: 1,
  topic: 'draw:1042',
  seq,
  serverNow: 0,
  type: 'draw',
  data: makeDrawUpdate(sold),
});
const liveStateWithDraw = applyDraws(EMPTY_LIVE_STATE, [makeDraw()]);
const ticketsSoldIn = (live: typeof EMPTY_LIVE_STATE) => live.draws[1042]?.ticketsSold;

describe('a frame', () => {
  test('changes the counts and keeps fields that it does not contain', () => {
    const live = applyFrame(liveStateWithDraw, makeFrame(6, 115));
    expect(live.draws[1042]).toEqual({
      ...makeDraw(),
      ticketsSold: 115,
      ticketsAvailable: 54,
      currentPrize: '300.00',
      revision: 6,
    });
  });

  test('that is older than the last one is dropped, and a gap needs no repair', () => {
    const live = applyFrame(applyFrame(liveStateWithDraw, makeFrame(9, 120)), makeFrame(7, 116));
    expect(ticketsSoldIn(live)).toBe(120);
  });

  test('after a reconnection is applied whatever its number, unless the loaded data is newer', () => {
    const live = applyFrame(liveStateWithDraw, {
      v: 1,
      topic: 'public',
      seq: 90,
      serverNow: 0,
      type: 'public',
      data: { maintenanceMode: true, buildVersion: 'a' },
    });
    const again = applyFrame(resetSequenceNumbers(live), {
      v: 1,
      topic: 'public',
      seq: 1,
      serverNow: 0,
      type: 'public',
      data: { maintenanceMode: false, buildVersion: 'b' },
    });
    expect([live.maintenance, again.maintenance, again.buildVersion]).toEqual([true, false, 'b']);
    expect(
      ticketsSoldIn(applyFrame(resetSequenceNumbers(liveStateWithDraw), makeFrame(4, 100))),
    ).toBe(113);
  });

  test('about a draw that is not loaded waits for the poll', () => {
    expect(applyFrame(EMPTY_LIVE_STATE, makeFrame(6, 115)).draws).toEqual({});
  });

  test('that is a heartbeat changes nothing', () => {
    expect(
      applyFrame(liveStateWithDraw, {
        v: 1,
        topic: '',
        seq: 0,
        serverNow: 0,
        type: 'heartbeat',
        data: {},
      }),
    ).toBe(liveStateWithDraw);
  });
});

test('an answer older than a frame keeps the frame’s counts', () => {
  const live = applyDraws(applyFrame(liveStateWithDraw, makeFrame(8, 118)), [
    makeDraw({ revision: 6, ticketsSold: 115, contactName: 'Kim' }),
  ]);
  expect(live.draws[1042]).toMatchObject({ ticketsSold: 118, revision: 8, contactName: 'Kim' });
});

test('an answer older than a frame keeps every field that the frame contains', () => {
  const update = makeDrawUpdate(118, {
    status: 'completed',
    ticketsHeld: 2,
    ticketsAvailable: 49,
    maxPrize: '500.00',
    gameDate: '2026-11-21T09:10:00Z',
    homeFirstTryScorer: 3,
    awayFirstTryScorer: 4,
    winningTicketSerial: 'FD-1042-007',
    winningTicketSold: true,
  });
  const framed = applyFrame(liveStateWithDraw, { ...makeFrame(8, 118), data: update } as Frame);
  const live = applyDraws(framed, [makeDraw({ revision: 6 })]);
  const expected: Partial<DrawUpdate> = { ...update };
  delete expected.prizePoolCents;
  expect(live.draws[1042]).toMatchObject({ ...expected, revision: 8 });
});

test('a shown list keeps its order, and new draws are appended', () => {
  const first = mergeDrawList(EMPTY_LIVE_STATE, 'active', [
    makeDraw({ drawNumber: 2 }),
    makeDraw({ drawNumber: 1 }),
  ]);
  const then = mergeDrawList(first, 'active', [
    makeDraw({ drawNumber: 3 }),
    makeDraw({ drawNumber: 1 }),
  ]);
  expect(then.lists.active).toEqual([2, 1, 3]);
  expect(
    mergeDrawList(then, 'completed', [makeDraw({ drawNumber: 2 }), makeDraw({ drawNumber: 9 })])
      .lists.completed,
  ).toEqual([9]);
});

test('a list that the visitor returns to is replaced, and a moved draw is in one list only', () => {
  const first = mergeDrawList(
    mergeDrawList(EMPTY_LIVE_STATE, 'active', [
      makeDraw({ drawNumber: 2 }),
      makeDraw({ drawNumber: 1 }),
    ]),
    'awaiting',
    [],
  );
  const then = replaceDrawList(first, 'awaiting', [
    makeDraw({ drawNumber: 1, status: 'closed', revision: 6 }),
  ]);
  expect(then.lists).toEqual({ active: [2], awaiting: [1], completed: null });
  expect(
    replaceDrawList(then, 'active', [makeDraw({ drawNumber: 3 }), makeDraw({ drawNumber: 2 })])
      .lists.active,
  ).toEqual([3, 2]);
});

test('the first page’s draws are sorted into lists by the server’s clock', () => {
  const now = Date.parse('2026-11-20T09:00:00Z');
  const live = liveStateOfBoot(
    {
      draws: [
        makeDraw({ drawNumber: 1 }),
        makeDraw({ drawNumber: 2, gameDate: '2026-11-20T08:00:00Z' }),
        makeDraw({ drawNumber: 3, status: 'completed' }),
      ],
    },
    now,
  );
  expect(live.lists).toEqual({ active: [1], awaiting: [2], completed: [3] });
});
