/**
 * The data received from the server, and how each message changes it. Pure. The socket, the polls
 * and the first page all use it.
 */
import type { Boot, Draw, DrawNews, Frame, OrderAnswer } from '@/api/wire';

export type ListName = 'active' | 'awaiting' | 'completed';

export interface Live {
  draws: Readonly<Record<number, Draw>>;
  /** Draw numbers in the order first shown. Null until the list has been loaded once. */
  lists: Readonly<Record<ListName, readonly number[] | null>>;
  orders: Readonly<Record<string, OrderAnswer>>;
  maintenance: boolean;
  buildVersion: string | null;
  /** The last sequence number received on each topic of this connection. */
  heard: Readonly<Record<string, number>>;
}

export const NOTHING: Live = {
  draws: {},
  lists: { active: null, awaiting: null, completed: null },
  orders: {},
  maintenance: false,
  buildVersion: null,
  heard: {},
};

/**
 * Applies one frame. Every frame is a complete snapshot of its topic, so an older frame is dropped
 * and a missing one needs no repair.
 */
export function applyFrame(live: Live, frame: Frame): Live {
  if (frame.type === 'heartbeat') return live;
  const last = live.heard[frame.topic];
  if (last !== undefined && frame.seq <= last) return live;
  const heard = { ...live.heard, [frame.topic]: frame.seq };
  switch (frame.type) {
    case 'draw':
      return {
        ...live,
        heard,
        draws: withNews(live.draws, [{ ...frame.data, revision: frame.seq }]),
      };
    case 'draws':
      return { ...live, heard, draws: withNews(live.draws, frame.data) };
    case 'public':
      return {
        ...live,
        heard,
        maintenance: frame.data.maintenanceMode,
        buildVersion: frame.data.buildVersion,
      };
    case 'order':
      return { ...live, heard, orders: { ...live.orders, [frame.data.orderToken]: frame.data } };
    default:
      return live;
  }
}

/**
 * Resets the sequence numbers for a new connection. It begins with a snapshot of each topic, and a
 * restarted server counts anew.
 */
export function reconnected(live: Live): Live {
  return { ...live, heard: {} };
}

function withNews(
  draws: Live['draws'],
  news: readonly (DrawNews & { revision?: number })[],
): Live['draws'] {
  const next: Record<number, Draw> = { ...draws };
  for (const said of news) {
    const known = next[said.drawNumber];
    // A frame for a draw that is not loaded lacks its price and club. The next poll loads the whole
    // draw.
    if (!known || (said.revision !== undefined && said.revision < known.revision)) continue;
    const { revision = known.revision, ...rest } = said;
    delete (rest as Partial<DrawNews>).prizePoolCents;
    next[said.drawNumber] = { ...known, ...rest, revision };
  }
  return next;
}

/** Applies whole draws from an answer. Counts from a newer frame are kept. */
export function applyDraws(live: Live, answered: readonly Draw[]): Live {
  const draws: Record<number, Draw> = { ...live.draws };
  for (const draw of answered) {
    const known = draws[draw.drawNumber];
    draws[draw.drawNumber] =
      known && known.revision > draw.revision
        ? { ...draw, ...changing(known) }
        : { ...known, ...draw };
  }
  return { ...live, draws };
}

function changing(known: Draw): Partial<Draw> {
  const {
    status,
    ticketsSold,
    ticketsHeld,
    ticketsAvailable,
    currentPrize,
    homeFirstTryScorer,
    awayFirstTryScorer,
    winningTicketSerial,
    winningTicketSold,
    revision,
  } = known;
  return {
    status,
    ticketsSold,
    ticketsHeld,
    ticketsAvailable,
    currentPrize,
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
export function applyList(live: Live, name: ListName, answered: readonly Draw[]): Live {
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
 * Replaces a list when the visitor arrives at it. Nothing of it is on the screen yet, so the
 * server's order is used. Its draws are removed from the other lists: a draw is in one list only.
 */
export function replaceList(live: Live, name: ListName, answered: readonly Draw[]): Live {
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

export function applyOrder(live: Live, order: OrderAnswer): Live {
  return { ...live, orders: { ...live.orders, [order.orderToken]: order } };
}

/** Builds the initial data from the data embedded in the page. */
export function fromBoot(boot: Boot, nowMs: number): Live {
  let live: Live = {
    ...NOTHING,
    maintenance: boot.maintenanceMode ?? false,
    buildVersion: boot.config?.buildVersion ?? null,
  };
  if (boot.draw) live = applyDraws(live, [boot.draw]);
  if (boot.draws) {
    const kickedOff = (draw: Draw) => Date.parse(draw.gameDate) <= nowMs;
    const over = (draw: Draw) => draw.status === 'completed' || draw.status === 'cancelled';
    live = applyList(
      live,
      'active',
      boot.draws.filter((draw) => !over(draw) && draw.status !== 'closed' && !kickedOff(draw)),
    );
    live = applyList(
      live,
      'awaiting',
      boot.draws.filter((draw) => !over(draw) && (draw.status === 'closed' || kickedOff(draw))),
    );
    live = applyList(
      live,
      'completed',
      boot.draws.filter((draw) => draw.status === 'completed'),
    );
  }
  if (boot.order) live = applyOrder(live, boot.order);
  return live;
}
