import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  chacha20Block,
  commitmentOf,
  dealOf,
  wereTicketsSoldInOrder,
  seedFromHex,
  toHex,
  verifyProof,
} from './deal';

const TEST_VECTOR_FILE = join(
  import.meta.dirname,
  '../../../../../actors/domain/tests/deal_vector.json',
);

test('the ChaCha20 block matches RFC 8439, section 2.3.2', () => {
  const key = Uint8Array.from({ length: 32 }, (_, index) => index);
  const start = new Uint32Array(16);
  start.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
  const view = new DataView(key.buffer);
  for (let index = 0; index < 8; index++) start[4 + index] = view.getUint32(index * 4, true);
  start.set([1, 0x09000000, 0x4a000000, 0], 12);
  expect([...chacha20Block(start)].map((word) => word.toString(16))).toEqual(
    'e4e7f110 15593bd1 1fdd0f50 c47120a3 c7f4d1c7 368c033 9aaa2204 4e6cd4c3 466482d2 9aa9f07 5d7c214 a2028bd9 d19c12b5 b94e16de e883d0cb 4e3c50a2'.split(
      ' ',
    ),
  );
});

test('a deal contains every cell once', () => {
  const deal = dealOf(new Uint8Array(32).fill(7));
  expect(new Set(deal).size).toBe(169);
  expect(Math.min(...deal)).toBe(0);
  expect(Math.max(...deal)).toBe(168);
});

test('the commitment is SHA-256 over the name, the draw number and the seed', async () => {
  const { createHash } = await import('node:crypto');
  const seed = new Uint8Array(32).fill(9);
  const expected = createHash('sha256')
    .update('football-doubles-v1')
    .update('1042')
    .update(seed)
    .digest('hex');
  expect(await commitmentOf(1042, seed)).toBe(expected);
});

test('a changed seed, a changed commitment or another winner is detected', async () => {
  const seed = new Uint8Array(32).fill(7);
  const deal = dealOf(seed);
  const winner = deal.indexOf(6 * 13 + 8) + 1;
  const claim = {
    drawNumber: 1042,
    commitment: await commitmentOf(1042, seed),
    seed: toHex(seed),
    result: { home: 7, away: 9 },
    winningTicket: winner,
    soldTickets: [1],
    ticketMoves: [{ ticket: 1, returned: false }],
  };
  expect(await verifyProof(claim)).toMatchObject({
    promised: true,
    winningTicket: winner,
    sameWinner: true,
    inOrder: true,
  });
  expect(
    await verifyProof({
      ...claim,
      soldTickets: [2],
      ticketMoves: [{ ticket: 2, returned: false }],
    }),
  ).toMatchObject({ inOrder: false });
  expect(await verifyProof({ ...claim, seed: toHex(new Uint8Array(32).fill(8)) })).toMatchObject({
    promised: false,
  });
  expect(await verifyProof({ ...claim, drawNumber: 1043 })).toMatchObject({ promised: false });
  expect(await verifyProof({ ...claim, winningTicket: (winner % 169) + 1 })).toMatchObject({
    sameWinner: false,
  });
  expect(await verifyProof({ ...claim, seed: null })).toBeNull();
  expect(await verifyProof({ ...claim, seed: 'zz' })).toBeNull();
});

test('returned tickets are sold after those that were never sold', () => {
  const moves = (...numbers: number[]) =>
    numbers.map((number) => ({ ticket: Math.abs(number), returned: number < 0 }));
  const all = Array.from({ length: 169 }, (_, index) => index + 1);
  expect(wereTicketsSoldInOrder(moves(1, 2, -1, 3), [2, 3])).toBe(true);
  expect(wereTicketsSoldInOrder(moves(...all, -7, -3, 3, 7), all)).toBe(true);
  // The wrong moves, in order: resold too early, skipped, resold in the wrong order, sold twice,
  // returned without a sale, and no move for most of the sold tickets.
  for (const wrong of [
    moves(1, 2, -1, 1),
    moves(1, 3),
    moves(...all, -7, -3, 7, 3),
    moves(1, 1),
    moves(1, -2),
    moves(1),
  ])
    expect(wereTicketsSoldInOrder(wrong, all)).toBe(false);
  expect(wereTicketsSoldInOrder(null, [])).toBeNull();
});

describe('test vectors written by the Rust implementation', () => {
  interface Vector {
    note: string;
    drawNumber: number;
    seed: string;
    commitment: string;
    cells: number[];
  }
  const { vectors } = JSON.parse(readFileSync(TEST_VECTOR_FILE, 'utf8')) as { vectors: Vector[] };
  test.each(vectors)(
    'are computed the same here: $note',
    async ({ drawNumber, seed: hex, commitment, cells }) => {
      const seed = seedFromHex(hex) ?? new Uint8Array();
      expect(await commitmentOf(drawNumber, seed)).toBe(commitment);
      expect(dealOf(seed)).toEqual(cells);
    },
  );
});
