/** Asking for a topic, and the polling that stands behind it. */
import { useAtomValue, useSetAtom, useStore } from 'jotai';
import { useCallback, useEffect, useRef, useState } from 'react';
import {
  fetchActive,
  fetchAwaiting,
  fetchCompleted,
  fetchDraw,
  fetchMaintenance,
  fetchOrder,
} from '@/api/endpoints/buyer';
import { Problem } from '@/api/http';
import {
  clockAtom,
  connectionAtom,
  drawAtom,
  leftListsAtom,
  receiveDrawsAtom,
  receiveListAtom,
  receiveMaintenanceAtom,
  receiveOrderAtom,
  topicHeardAtom,
  wantTopicAtom,
  orderAtom,
  liveAtom,
} from './live-atoms';
import { serverNow } from '@/shared/clock';
import type { ListName } from './live';

export function useTopic(topic: string | null): void {
  const want = useSetAtom(wantTopicAtom);
  useEffect(() => {
    if (!topic) return;
    want(topic, 1);
    return () => want(topic, -1);
  }, [topic, want]);
}

/** Topics of several draws; a change of one makes the order's own answer worth asking for again. */
export function useDrawTopics(drawNumbers: readonly number[]): void {
  const want = useSetAtom(wantTopicAtom);
  const key = drawNumbers.join(',');
  useEffect(() => {
    const topics = key === '' ? [] : key.split(',').map((number) => `draw:${number}`);
    for (const topic of topics) want(topic, 1);
    return () => {
      for (const topic of topics) want(topic, -1);
    };
  }, [key, want]);
}

export interface Poll {
  /** Milliseconds, from the specification's table. */
  every: number;
  /** While this topic or the heartbeat is heard within the interval, the request is skipped. Null: the socket cannot help. */
  topic: string | null;
  ask: () => Promise<unknown>;
  /** Whether to ask once at the start; not when the page brought the data. */
  atOnce: boolean;
}

/** Polls at the interval, skipping while the socket does the work. Failures keep what is shown; the next turn asks again. */
export function usePoll({ every, topic, ask, atOnce }: Poll): void {
  const store = useStore();
  const asking = useRef(ask);
  useEffect(() => {
    asking.current = ask;
  });
  useEffect(() => {
    const turn = () => void asking.current().catch(() => {});
    const heardLately = () => {
      if (topic === null || !store.get(connectionAtom).open) return false;
      const heard = store.get(topicHeardAtom);
      // The heartbeat vouches for a topic only once the topic's snapshot has come.
      const last =
        heard[topic] === undefined ? -Infinity : Math.max(heard[topic], heard[''] ?? -Infinity);
      return performance.now() - last <= every;
    };
    if (atOnce) turn();
    const timer = setInterval(() => {
      if (!heardLately()) turn();
    }, every);
    return () => clearInterval(timer);
  }, [every, topic, atOnce, store]);
}

/** One draw, kept live. `missing` once the server has said there is no such draw. */
export function useDraw(drawNumber: number, every = 10_000) {
  const draw = useAtomValue(drawAtom(drawNumber));
  const receive = useSetAtom(receiveDrawsAtom);
  const [missing, setMissing] = useState(false);
  const [failed, setFailed] = useState(false);
  useTopic(`draw:${drawNumber}`);
  const ask = async () => {
    try {
      receive([await fetchDraw(drawNumber)]);
      setFailed(false);
    } catch (error) {
      if (error instanceof Problem && (error.status === 404 || error.status === 400))
        setMissing(true);
      else setFailed(true);
    }
  };
  // A list's draw lacks the contact and the account, so it is asked for whole.
  usePoll({
    every,
    topic: `draw:${drawNumber}`,
    ask,
    atOnce: draw?.connectedAccountId === undefined,
  });
  return { draw, missing: missing && !draw, failed: failed && !draw, retry: ask };
}

const LISTS = {
  active: { ask: fetchActive, every: 15_000 },
  awaiting: { ask: fetchAwaiting, every: 30_000 },
  completed: { ask: fetchCompleted, every: 60_000 },
} as const;

/** The page itself brings so many completed draws at most; whoever counts them all has to ask. */
const BROUGHT_MAX = 60;

/** One list of draws, kept live. Whoever comes back to it within a visit gets a new one at once; what the page itself brought is new. */
export function useDrawList(name: ListName) {
  const store = useStore();
  const receive = useSetAtom(receiveListAtom);
  const leave = useSetAtom(leftListsAtom);
  const [back] = useState(() => store.get(leftListsAtom)[name] === true);
  const arriving = useRef(back);
  useEffect(() => () => leave((left) => ({ ...left, [name]: true })), [name, leave]);
  const [failed, setFailed] = useState(false);
  const { ask: fetchList, every } = LISTS[name];
  useTopic('draws');
  const ask = async () => {
    try {
      receive(name, await fetchList(), arriving.current);
      arriving.current = false;
      setFailed(false);
    } catch {
      setFailed(true);
    }
  };
  // New draws come only by asking: a frame has no prices. So the socket never silences this one for good.
  const [atOnce] = useState(() => {
    const brought = store.get(liveAtom).lists[name];
    return back || brought === null || brought.length >= BROUGHT_MAX;
  });
  usePoll({ every, topic: null, ask, atOnce });
  return { failed, retry: ask };
}

export function useMaintenance(): void {
  const receive = useSetAtom(receiveMaintenanceAtom);
  useTopic('public');
  usePoll({
    every: 30_000,
    topic: 'public',
    atOnce: false,
    ask: async () => receive((await fetchMaintenance()).maintenanceMode),
  });
}

/** One order by its token, kept live; asked for every 2 seconds while `urgent`. */
export function useOrder(token: string, urgent: boolean) {
  const order = useAtomValue(orderAtom(token));
  const receive = useSetAtom(receiveOrderAtom);
  const [missing, setMissing] = useState(false);
  const [failed, setFailed] = useState(false);
  useTopic(token ? `order:${token}` : null);
  const ask = async () => {
    if (!token) return;
    try {
      receive(await fetchOrder(token));
      setFailed(false);
    } catch (error) {
      if (error instanceof Problem && error.status === 404) setMissing(true);
      else setFailed(true);
    }
  };
  usePoll({
    every: urgent ? 2_000 : 15_000,
    topic: urgent ? null : `order:${token}`,
    ask,
    atOnce: order === undefined,
  });
  return { order, missing: missing && !order, failed: failed && !missing && !order, retry: ask };
}

/** The server's time now, for code outside rendering. */
export function useServerNow(): () => number {
  const store = useStore();
  return useCallback(() => serverNow(store.get(clockAtom), performance.now()), [store]);
}
