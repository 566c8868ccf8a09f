/** Subscribes to topics and polls when the socket does not deliver. */
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

/** Topics of several draws. When one changes, the order is requested again. */
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
  /** Milliseconds, from the table in the specification. */
  every: number;
  /**
   * The poll is skipped while this topic or the heartbeat arrives within the interval. Null: the
   * socket cannot replace the poll.
   */
  topic: string | null;
  ask: () => Promise<unknown>;
  /** Whether to request at the start. False when the page carries the data. */
  atOnce: boolean;
}

/**
 * Polls at the interval and skips while the socket delivers. A failure keeps the shown data until
 * the next poll.
 */
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
      // The heartbeat covers a topic only after the topic's snapshot has arrived.
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

/** Keeps one draw live. `missing` is set once the server says that the draw does not exist. */
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
  // A draw from a list lacks the contact and the account, so the whole draw is requested.
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

/**
 * The maximum number of completed draws embedded in the page. A component that counts them all must
 * request the list.
 */
const BROUGHT_MAX = 60;

/**
 * Keeps one list of draws live. A visitor who returns to it gets a new list at once; the list
 * embedded in the page counts as new.
 */
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
  // New draws arrive only by polling, because frames carry no prices. So the socket never stops
  // this poll completely.
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

/** Keeps one order live, by its token. It is requested every 2 seconds while `urgent`. */
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

/** Returns the current server time, for code outside rendering. */
export function useServerNow(): () => number {
  const store = useStore();
  return useCallback(() => serverNow(store.get(clockAtom), performance.now()), [store]);
}
