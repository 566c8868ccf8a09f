/**
 * Recomputes a draw's deal from its revealed seed alone (decision K-1). The deal is a Fisher–Yates
 * order of the 169 cells. Rejection sampling takes each index from the ChaCha20 keystream. The seed
 * is checked against the SHA-256 hash published before the sale.
 */
import { JERSEY_NUMBER_MAX, TICKETS_PER_DRAW } from '@/shared/draw-size';

const COMMITMENT_DOMAIN = 'football-doubles-v1';

/** Hashes `football-doubles-v1` ‖ draw number in decimal ‖ seed, with the browser's own SHA-256. */
export async function commitmentOf(drawNumber: number, seed: Uint8Array): Promise<string> {
  const prefix = new TextEncoder().encode(`${COMMITMENT_DOMAIN}${drawNumber}`);
  const message = new Uint8Array(prefix.length + seed.length);
  message.set(prefix);
  message.set(seed, prefix.length);
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', message)));
}

/** Returns the deal of a seed. Ticket number k carries `dealOf(seed)[k - 1]`. */
export function dealOf(seed: Uint8Array): number[] {
  const next = createKeystreamReader(seed);
  const cells = Array.from({ length: TICKETS_PER_DRAW }, (_, cell) => cell);
  for (let last = TICKETS_PER_DRAW - 1; last > 0; last--) {
    const bound = last + 1;
    const limit = Math.floor(2 ** 32 / bound) * bound;
    let word = next();
    // Rejects words from the largest multiple of the range on, because they would favour low
    // indices.
    while (word >= limit) word = next();
    const chosen = word % bound;
    [cells[last], cells[chosen]] = [cells[chosen] ?? 0, cells[last] ?? 0];
  }
  return cells;
}

/**
 * Returns the ChaCha20 keystream as little-endian 32-bit words (RFC 8439: key = seed, nonce 0,
 * counter from 0).
 */
function createKeystreamReader(seed: Uint8Array): () => number {
  const key = new DataView(seed.buffer, seed.byteOffset, 32);
  const start = new Uint32Array(16);
  start.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
  for (let index = 0; index < 8; index++) start[4 + index] = key.getUint32(index * 4, true);
  let block = new Uint32Array(0);
  let counter = 0;
  let place = 16;
  return () => {
    if (place >= 16) {
      start[12] = counter++;
      block = chacha20Block(start);
      place = 0;
    }
    return block[place++] ?? 0;
  };
}

const QUARTER_ROUNDS: readonly (readonly [number, number, number, number])[] = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];

export function chacha20Block(start: Uint32Array): Uint32Array<ArrayBuffer> {
  const state = new Uint32Array(start);
  const at = (index: number) => state[index] ?? 0;
  const mix = (into: number, from: number, turned: number, by: number) => {
    state[into] = at(into) + at(from);
    const word = at(turned) ^ at(into);
    state[turned] = (word << by) | (word >>> (32 - by));
  };
  for (let round = 0; round < 10; round++) {
    for (const [a, b, c, d] of QUARTER_ROUNDS) {
      mix(a, b, d, 16);
      mix(c, d, b, 12);
      mix(a, b, d, 8);
      mix(c, d, b, 7);
    }
  }
  return state.map((word, index) => word + (start[index] ?? 0));
}

export function toHex(bytes: Uint8Array): string {
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Returns the bytes of a seed. Null when it is not 32 bytes in hexadecimal. */
export function seedFromHex(hex: string): Uint8Array | null {
  if (!/^[0-9a-f]{64}$/i.test(hex)) return null;
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

export interface TicketMove {
  ticket: number;
  /** Whether a sold ticket was returned. False means that a ticket was sold. */
  returned: boolean;
}

/**
 * Whether tickets were sold in the promised order (decision M-3): never-sold tickets first, then
 * returned ones, each lowest first. Null when the moves are not published.
 */
export function wereTicketsSoldInOrder(
  moves: readonly TicketMove[] | null,
  sold: readonly number[],
): boolean | null {
  if (!moves) return null;
  const unsold = new Set(Array.from({ length: TICKETS_PER_DRAW }, (_, index) => index + 1));
  const returned = new Set<number>();
  const out = new Set<number>();
  for (const move of moves) {
    const source = move.returned ? out : unsold.size > 0 ? unsold : returned;
    if (!source.has(move.ticket) || (!move.returned && move.ticket !== Math.min(...source)))
      return false;
    source.delete(move.ticket);
    (move.returned ? returned : out).add(move.ticket);
  }
  return out.size === sold.length && sold.every((ticket) => out.has(ticket));
}

export interface ProofVerdict {
  /** Whether the revealed seed matches the commitment published before the first sale. */
  promised: boolean;
  computedCommitment: string;
  /** Cells by ticket number, starting with ticket 1. */
  deal: readonly number[];
  /** The ticket that carries the winning pair, computed in this browser. Null without a result. */
  winningTicket: number | null;
  /** Whether the server names the same winning ticket as this browser. Null without a result. */
  sameWinner: boolean | null;
  /**
   * Whether tickets were sold in the promised order. Null when the server does not publish the
   * order.
   */
  inOrder: boolean | null;
}

export interface ProofClaim {
  drawNumber: number;
  commitment: string;
  seed: string | null;
  result: { home: number; away: number } | null;
  winningTicket: number | null;
  soldTickets: readonly number[];
  ticketMoves: readonly TicketMove[] | null;
}

/**
 * Recomputes the deal and compares it with the server's claims. Null before the reveal or when the
 * seed cannot be read.
 */
export async function verifyProof(claim: ProofClaim): Promise<ProofVerdict | null> {
  const seed = claim.seed === null ? null : seedFromHex(claim.seed);
  if (!seed) return null;
  const computedCommitment = await commitmentOf(claim.drawNumber, seed);
  const deal = dealOf(seed);
  const winningTicket = claim.result
    ? deal.indexOf((claim.result.home - 1) * JERSEY_NUMBER_MAX + claim.result.away - 1) + 1
    : null;
  return {
    promised: computedCommitment === claim.commitment.toLowerCase(),
    computedCommitment,
    deal,
    winningTicket,
    sameWinner: winningTicket === null ? null : winningTicket === claim.winningTicket,
    inOrder: wereTicketsSoldInOrder(claim.ticketMoves, claim.soldTickets),
  };
}
