/**
 * The data received from the server, and how each message changes the data. Pure. Used by the
 * socket, the polls and the data embedded in the first page.
 */
import type { BootData, Draw, DrawUpdate, Frame, OrderResponse } from '@/api/wire';

export type ListName = 'active' | 'awaiting' | 'completed';

export interface LiveState {
  draws: Readonly<Record<number, Draw>>;
  /** Draw numbers in the order first shown. Null until the list has been loaded once. */
  lists: Readonly<Record<ListName, readonly number[] | null>>;
  orders: Readonly<Record<string, OrderResponse>>;
  maintenance: boolean;
  buildVersion: string | null;
  /** The last sequence number received on each topic of this connection. */
  lastSeq: Readonly<Record<string, number>>;
}

export const EMPTY_LIVE_STATE: LiveState = {
  draws: {},
  lists: { active: null, awaiting: null, completed: null },
  orders: {},
  maintenance: false,
  buildVersion: null,
  lastSeq: {},
};

/**
 * Applies one frame. Every frame is a complete snapshot of its topic, so an older frame is dropped
 * and a missing one needs no repair.
 */
export function applyFrame(live: LiveState, frame: Frame): LiveState {
  if (frame.type === 'heartbeat') return live;
  const last = live.lastSeq[frame.topic];
  if (last !== undefined && frame.seq <= last) return live;
  const lastSeq = { ...live.lastSeq, [frame.topic]: frame.seq };
  switch (frame.type) {
    case 'draw':
      return {
        ...live,
        lastSeq,
        draws: withDrawUpdate(live.draws, [{ ...frame.data, revision: frame.seq }]),
      };
    case 'draws':
      return { ...live, lastSeq, draws: withDrawUpdate(live.draws, frame.data) };
    case 'public':
      return {
        ...live,
        lastSeq,
        maintenance: frame.data.maintenanceMode,
        buildVersion: frame.data.buildVersion,
      };
    case 'order':
      return { ...live, lastSeq, orders: { ...live.orders, [frame.data.orderToken]: frame.data } };
    default:
      return live;
  }
}

/**
 * Resets the sequence numbers for a new connection, which begins with a snapshot of each topic.
 */
export function resetSequenceNumbers(live: LiveState): LiveState {
  return { ...live, lastSeq: {} };
}

function withDrawUpdate(
  draws: LiveState['draws'],
  updates: readonly (DrawUpdate & { revision?: number })[],
): LiveState['draws'] {
  const next: Record<number, Draw> = { ...draws };
  for (const update of updates) {
    const current = next[update.drawNumber];
    // A frame for a draw that is not loaded lacks its price and club. The next poll loads the whole
    // draw.
    if (!current || (update.revision !== undefined && update.revision < current.revision)) continue;
    const { revision = current.revision, ...rest } = update;
    delete (rest as Partial<DrawUpdate>).prizePoolCents;
    next[update.drawNumber] = { ...current, ...rest, revision };
  }
  return next;
}

/** Applies complete draws from a response. Fields from a newer frame are not replaced. */
export function applyDraws(live: LiveState, answered: readonly Draw[]): LiveState {
  const draws: Record<number, Draw> = { ...live.draws };
  for (const draw of answered) {
    const current = draws[draw.drawNumber];
    draws[draw.drawNumber] =
      current && current.revision > draw.revision
        ? { ...draw, ...fieldsChangedByFrames(current) }
        : { ...current, ...draw };
  }
  return { ...live, draws };
}

function fieldsChangedByFrames(current: Draw): Partial<Draw> {
  const {
    status,
    ticketsSold,
    ticketsHeld,
    ticketsAvailable,
    currentPrize,
    maxPrize,
    gameDate,
    homeFirstTryScorer,
    awayFirstTryScorer,
    winningTicketSerial,
    winningTicketSold,
    revision,
  } = current;
  return {
    status,
    ticketsSold,
    ticketsHeld,
    ticketsAvailable,
    currentPrize,
    maxPrize,
    gameDate,
    homeFirstTryScorer,
    awayFirstTryScorer,
    winningTicketSerial,
    winningTicketSold,
    revision,
  };
}

/**
 * Applies a list. Shown items keep their place, so that nothing moves under the visitor's finger;
 * new draws are appended.
 */
export function mergeDrawList(
  live: LiveState,
  name: ListName,
  answered: readonly Draw[],
): LiveState {
  const shown = live.lists[name] ?? [];
  const elsewhere = new Set(
    name === 'active'
      ? []
      : Object.entries(live.lists).flatMap(([other, numbers]) =>
          other === name ? [] : (numbers ?? []),
        ),
  );
  const added = answered
    .map((draw) => draw.drawNumber)
    .filter((number) => !shown.includes(number) && !elsewhere.has(number));
  return { ...applyDraws(live, answered), lists: { ...live.lists, [name]: [...shown, ...added] } };
}

/**
 * Replaces a list when the visitor arrives at it. The server's order of draws is used, because
 * nothing of the list is on the screen yet. Its draws are removed from the other lists, because a
 * draw is in one list only.
 */
export function replaceDrawList(
  live: LiveState,
  name: ListName,
  answered: readonly Draw[],
): LiveState {
  const numbers = answered.map((draw) => draw.drawNumber);
  const without = (list: readonly number[] | null) =>
    list && list.filter((number) => !numbers.includes(number));
  const { active, awaiting, completed } = live.lists;
  return {
    ...applyDraws(live, answered),
    lists: {
      active: without(active),
      awaiting: without(awaiting),
      completed: without(completed),
      [name]: numbers,
    },
  };
}

export function applyOrder(live: LiveState, order: OrderResponse): LiveState {
  return { ...live, orders: { ...live.orders, [order.orderToken]: order } };
}

/** Builds the initial data from the data embedded in the page. */
export function liveStateOfBoot(boot: BootData, nowMs: number): LiveState {
  let live: LiveState = {
    ...EMPTY_LIVE_STATE,
    maintenance: boot.maintenanceMode ?? false,
    buildVersion: boot.config?.buildVersion ?? null,
  };
  if (boot.draw) live = applyDraws(live, [boot.draw]);
  if (boot.draws) {
    const kickedOff = (draw: Draw) => Date.parse(draw.gameDate) <= nowMs;
    const over = (draw: Draw) => draw.status === 'completed' || draw.status === 'cancelled';
    live = mergeDrawList(
      live,
      'active',
      boot.draws.filter((draw) => !over(draw) && draw.status !== 'closed' && !kickedOff(draw)),
    );
    live = mergeDrawList(
      live,
      'awaiting',
      boot.draws.filter((draw) => !over(draw) && (draw.status === 'closed' || kickedOff(draw))),
    );
    live = mergeDrawList(
      live,
      'completed',
      boot.draws.filter((draw) => draw.status === 'completed'),
    );
  }
  if (boot.order) live = applyOrder(live, boot.order);
  return live;
}
