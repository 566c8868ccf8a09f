import { atom, type PrimitiveAtom } from 'jotai';
import { isCopied } from '@/api/http';
import type { Config, Draw, Frame, OrderAnswer } from '@/api/wire';
import {
  NO_CLOCK,
  PUSHED_ROUND_TRIP_MS,
  addSample,
  serverNow,
  type Sample,
  type ServerClock,
} from '@/shared/clock';
import {
  NOTHING,
  applyDraws,
  applyFrame,
  applyList,
  applyOrder,
  reconnected,
  replaceList,
  type ListName,
  type Live,
} from './live';
import type { SurchargeMode } from '@/shared/money';
import { family } from '@/shared/family';

export const liveAtom = atom<Live>(NOTHING);
export const configAtom = atom<Config | null>(null);
/** How the fees of several lines are added up (decision D-6). */
export const surchargeAtom = atom((get): SurchargeMode =>
  get(configAtom)?.surchargeMode === 'per_charge' ? 'per_charge' : 'per_line',
);
export const clockAtom = atom<ServerClock>(NO_CLOCK);

/**
 * The state of the socket: whether it is open, and when (performance clock) the socket or a poll
 * last received data.
 */
export const connectionAtom = atom<{ open: boolean; heardAt: number | null }>({
  open: false,
  heardAt: null,
});
/** When each topic was last received. The empty name stands for the heartbeat. */
export const topicHeardAtom = atom<Readonly<Record<string, number>>>({});

/** The number of components that subscribe to each topic. */
const wantedAtom = atom<Readonly<Record<string, number>>>({});
export const topicsAtom = atom((get) =>
  Object.entries(get(wantedAtom))
    .flatMap(([topic, count]) => (count > 0 ? [topic] : []))
    .sort(),
);
export const wantTopicAtom = atom(null, (get, set, topic: string, by: 1 | -1) => {
  const wanted = get(wantedAtom);
  set(wantedAtom, { ...wanted, [topic]: Math.max(0, (wanted[topic] ?? 0) + by) });
});

export const drawAtom = family((drawNumber: number) =>
  atom((get): Draw | undefined => get(liveAtom).draws[drawNumber]),
);
export const listAtom = family((name: ListName) => atom((get) => get(liveAtom).lists[name]));
export const orderAtom = family((token: string) =>
  atom((get): OrderAnswer | undefined => get(liveAtom).orders[token]),
);
export const maintenanceAtom = atom((get) => get(liveAtom).maintenance);
export const buildVersionAtom = atom((get) => get(liveAtom).buildVersion);

export const noteTimeAtom = atom(null, (get, set, taken: Sample) =>
  set(clockAtom, addSample(get(clockAtom), taken)),
);

const noteHeardAtom = atom(null, (get, set, topic: string) => {
  const now = performance.now();
  set(topicHeardAtom, { ...get(topicHeardAtom), [topic]: now });
  set(connectionAtom, { ...get(connectionAtom), heardAt: now });
});

/**
 * The newest data of a topic that is not shared with public screens, such as an operator topic. The
 * caller knows its type.
 */
export const topicDataAtom = family<string, PrimitiveAtom<unknown>>(() => atom<unknown>(undefined));

export const receiveFrameAtom = atom(null, (get, set, frame: Frame) => {
  if (frame.type === 'ops') set(topicDataAtom(frame.topic), frame.data);
  set(noteHeardAtom, frame.type === 'heartbeat' ? '' : frame.topic);
  set(noteTimeAtom, {
    offset: frame.serverNow + PUSHED_ROUND_TRIP_MS / 2 - performance.now(),
    roundTripMs: PUSHED_ROUND_TRIP_MS,
  });
  set(liveAtom, applyFrame(get(liveAtom), frame));
});

export const socketStateAtom = atom(null, (get, set, state: 'open' | 'closed') => {
  set(connectionAtom, { ...get(connectionAtom), open: state === 'open' });
  if (state === 'open') set(liveAtom, reconnected(get(liveAtom)));
});

/** Records a poll answer. It proves that the server answers, but not that the socket works. */
export const noteAnswerAtom = atom(null, (get, set) =>
  set(connectionAtom, { ...get(connectionAtom), heardAt: performance.now() }),
);

export const receiveDrawsAtom = atom(null, (get, set, draws: readonly Draw[]) => {
  if (!draws.some(isCopied)) set(noteAnswerAtom);
  set(liveAtom, applyDraws(get(liveAtom), draws));
});
/**
 * Applies a list answer. `arriving`: whether this is the first answer after the visitor has
 * returned to the list.
 */
export const receiveListAtom = atom(
  null,
  (get, set, name: ListName, draws: readonly Draw[], arriving = false) => {
    if (!isCopied(draws)) set(noteAnswerAtom);
    set(liveAtom, (arriving ? replaceList : applyList)(get(liveAtom), name, draws));
  },
);

/** Lists that the visitor has left. Their data is old. */
export const leftListsAtom = atom<Readonly<Partial<Record<ListName, true>>>>({});
export const receiveOrderAtom = atom(null, (get, set, order: OrderAnswer) => {
  set(noteAnswerAtom);
  set(liveAtom, applyOrder(get(liveAtom), order));
});
export const receiveMaintenanceAtom = atom(null, (get, set, maintenance: boolean) => {
  set(noteAnswerAtom);
  set(liveAtom, { ...get(liveAtom), maintenance });
});

/** The shared current second. One ticker sets it and every countdown reads it. */
const tickAtom = atom(0);
export const nowAtom = atom(
  (get) => {
    get(tickAtom);
    return serverNow(get(clockAtom), performance.now());
  },
  (get, set) => set(tickAtom, get(tickAtom) + 1),
);
