import { atom, type PrimitiveAtom } from 'jotai';
import { isCachedResponse } from '@/api/http';
import type { Config, Draw, Frame, OrderResponse } from '@/api/wire';
import { UNKNOWN_CLOCK, addClockSample, serverNow, takeFrameClockSample } from '@/shared/clock';
import type { ClockSample, ServerClock } from '@/shared/clock';
import {
  EMPTY_LIVE_STATE,
  applyDraws,
  applyFrame,
  mergeDrawList,
  applyOrder,
  resetSequenceNumbers,
  replaceDrawList,
} from './live';
import type { ListName, LiveState } from './live';
import type { SurchargeMode } from '@/shared/money';
import { atomFamily } from '@/shared/atom-family';

export const liveStateAtom = atom<LiveState>(EMPTY_LIVE_STATE);
export const configAtom = atom<Config | null>(null);
/** How the fees of several lines are added up (decision D-6). */
export const surchargeModeAtom = atom((get): SurchargeMode =>
  get(configAtom)?.surchargeMode === 'per_charge' ? 'per_charge' : 'per_line',
);
export const serverClockAtom = atom<ServerClock>(UNKNOWN_CLOCK);

/**
 * The state of the socket: whether it is open, and when (performance clock) the socket or a poll
 * last received data.
 */
export const liveConnectionAtom = atom<{ open: boolean; lastContactAt: number | null }>({
  open: false,
  lastContactAt: null,
});
/** When each topic was last received. The empty topic name stands for the heartbeat. */
export const topicLastContactAtom = atom<Readonly<Record<string, number>>>({});

/** The number of components that subscribe to each topic. */
const topicSubscriberCountsAtom = atom<Readonly<Record<string, number>>>({});
export const subscribedTopicsAtom = atom((get) =>
  Object.entries(get(topicSubscriberCountsAtom))
    .flatMap(([topic, count]) => (count > 0 ? [topic] : []))
    .sort(),
);
export const changeTopicSubscriberCountAtom = atom(null, (get, set, topic: string, by: 1 | -1) => {
  const counts = get(topicSubscriberCountsAtom);
  set(topicSubscriberCountsAtom, { ...counts, [topic]: Math.max(0, (counts[topic] ?? 0) + by) });
});

export const drawAtom = atomFamily((drawNumber: number) =>
  atom((get): Draw | undefined => get(liveStateAtom).draws[drawNumber]),
);
export const drawListAtom = atomFamily((name: ListName) =>
  atom((get) => get(liveStateAtom).lists[name]),
);
export const orderAtom = atomFamily((token: string) =>
  atom((get): OrderResponse | undefined => get(liveStateAtom).orders[token]),
);
export const maintenanceAtom = atom((get) => get(liveStateAtom).maintenance);
export const buildVersionAtom = atom((get) => get(liveStateAtom).buildVersion);

export const recordServerTimeAtom = atom(null, (get, set, newSample: ClockSample) =>
  set(serverClockAtom, addClockSample(get(serverClockAtom), newSample)),
);

const recordFrameTimeAtom = atom(null, (get, set, topic: string) => {
  const now = performance.now();
  set(topicLastContactAtom, { ...get(topicLastContactAtom), [topic]: now });
  set(liveConnectionAtom, { ...get(liveConnectionAtom), lastContactAt: now });
});

/**
 * The newest data of a topic that is not shared with public screens, such as an operator topic. The
 * caller knows its type.
 */
export const topicDataAtom = atomFamily<string, PrimitiveAtom<unknown>>(() =>
  atom<unknown>(undefined),
);

export const receiveFrameAtom = atom(null, (get, set, frame: Frame) => {
  if (frame.type === 'ops') set(topicDataAtom(frame.topic), frame.data);
  set(recordFrameTimeAtom, frame.type === 'heartbeat' ? '' : frame.topic);
  set(recordServerTimeAtom, takeFrameClockSample(frame.serverNow, performance.now()));
  set(liveStateAtom, applyFrame(get(liveStateAtom), frame));
});

export const setSocketStateAtom = atom(null, (get, set, state: 'open' | 'closed') => {
  set(liveConnectionAtom, { ...get(liveConnectionAtom), open: state === 'open' });
  if (state === 'open') set(liveStateAtom, resetSequenceNumbers(get(liveStateAtom)));
});

/**
 * Records the response to a poll. A response proves that the server is reachable, but not that the
 * socket works.
 */
export const recordResponseTimeAtom = atom(null, (get, set) =>
  set(liveConnectionAtom, { ...get(liveConnectionAtom), lastContactAt: performance.now() }),
);

export const receiveDrawsAtom = atom(null, (get, set, draws: readonly Draw[]) => {
  if (!draws.some(isCachedResponse)) set(recordResponseTimeAtom);
  set(liveStateAtom, applyDraws(get(liveStateAtom), draws));
});
/**
 * Stores the response to a list request. `arriving` means the first response after the visitor has
 * returned to the list.
 */
export const receiveDrawListAtom = atom(
  null,
  (get, set, name: ListName, draws: readonly Draw[], arriving = false) => {
    if (!isCachedResponse(draws)) set(recordResponseTimeAtom);
    set(
      liveStateAtom,
      (arriving ? replaceDrawList : mergeDrawList)(get(liveStateAtom), name, draws),
    );
  },
);

/** Lists that the visitor has left. They are loaded again on return, because their data is old. */
export const visitedListsAtom = atom<Readonly<Partial<Record<ListName, true>>>>({});
export const receiveOrderAtom = atom(null, (get, set, order: OrderResponse) => {
  set(recordResponseTimeAtom);
  set(liveStateAtom, applyOrder(get(liveStateAtom), order));
});
export const receiveMaintenanceAtom = atom(null, (get, set, maintenance: boolean) => {
  set(recordResponseTimeAtom);
  set(liveStateAtom, { ...get(liveStateAtom), maintenance });
});

/** The shared current second. One ticker sets it and every countdown reads it. */
const currentSecondAtom = atom(0);
export const nowAtom = atom(
  (get) => {
    get(currentSecondAtom);
    return serverNow(get(serverClockAtom), performance.now());
  },
  (get, set) => set(currentSecondAtom, get(currentSecondAtom) + 1),
);
