/** What the server has told us, and how one more telling changes it. Pure: the socket, the polls and the first page all end here. */
import type { Boot, Draw, DrawNews, Frame, OrderAnswer } from '@/api/wire';

export type ListName = 'active' | 'awaiting' | 'completed';

export interface Live {
  draws: Readonly<Record<number, Draw>>;
  /** Numbers in the order first shown; null until the list has been loaded once. */
  lists: Readonly<Record<ListName, readonly number[] | null>>;
  orders: Readonly<Record<string, OrderAnswer>>;
  maintenance: boolean;
  buildVersion: string | null;
  /** The last sequence number heard on each topic of this connection. */
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

/** Takes in one frame. Every frame is a whole view, so an older one is dropped and a gap needs no repair. */
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

/** A new connection begins with a snapshot of each topic, whatever its number: the server may have started anew. */
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
    // News of a draw nobody has loaded lacks its price and club; the next poll brings it whole.
    if (!known || (said.revision !== undefined && said.revision < known.revision)) continue;
    const { revision = known.revision, ...rest } = said;
    delete (rest as Partial<DrawNews>).prizePoolCents;
    next[said.drawNumber] = { ...known, ...rest, revision };
  }
  return next;
}

/** Takes in whole draws from an answer; what a frame has already overtaken keeps its newer counts. */
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

/** Takes in a list. What is shown stays where it is, so that nothing moves under a thumb; new draws come after. */
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

/** Takes in a list as somebody comes to it: nobody has looked at it yet, so it is what was answered, and a draw that has moved on is nowhere else. */
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

/** What the page already carries when it arrives. */
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
