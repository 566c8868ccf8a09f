/** Subscribes to topics, and polls where the socket does not deliver. */
import { useAtomValue, useSetAtom, useStore } from 'jotai';
import { useCallback, useEffect, useRef, useState } from 'react';
import {
  fetchActiveDraws,
  fetchAwaitingDraws,
  fetchCompletedDraws,
  fetchDraw,
  fetchPublicMaintenanceMode,
  fetchOrder,
} from '@/api/endpoints/buyer';
import { HttpError } from '@/api/http';
import {
  serverClockAtom,
  liveConnectionAtom,
  drawAtom,
  visitedListsAtom,
  receiveDrawsAtom,
  receiveDrawListAtom,
  receiveMaintenanceAtom,
  receiveOrderAtom,
  topicLastContactAtom,
  changeTopicSubscriberCountAtom,
  orderAtom,
  liveStateAtom,
} from './live-atoms';
import { serverNow } from '@/shared/clock';
import type { ListName } from './live';

export function useTopicSubscription(topic: string | null): void {
  const changeTopicSubscriberCount = useSetAtom(changeTopicSubscriberCountAtom);
  useEffect(() => {
    if (!topic) return;
    changeTopicSubscriberCount(topic, 1);
    return () => changeTopicSubscriberCount(topic, -1);
  }, [topic, changeTopicSubscriberCount]);
}

/** Subscribes to the topics of several draws, so that a change of one of them reaches this page. */
export function useDrawSubscriptions(drawNumbers: readonly number[]): void {
  const changeTopicSubscriberCount = useSetAtom(changeTopicSubscriberCountAtom);
  const key = drawNumbers.join(',');
  useEffect(() => {
    const topics = key === '' ? [] : key.split(',').map((number) => `draw:${number}`);
    for (const topic of topics) changeTopicSubscriberCount(topic, 1);
    return () => {
      for (const topic of topics) changeTopicSubscriberCount(topic, -1);
    };
  }, [key, changeTopicSubscriberCount]);
}

export interface PollInputs {
  /** Milliseconds between polls. */
  intervalMs: number;
  /**
   * The poll is skipped while this topic or the heartbeat arrives within the interval. Null means
   * that the socket cannot replace the poll.
   */
  topic: string | null;
  fetchData: () => Promise<unknown>;
  /** Whether to send a request at the start. False when the page carries the data. */
  fetchAtStart: boolean;
}

/**
 * Polls at the interval and skips polls while the socket delivers. After a failed poll, the shown
 * data stays.
 */
export function usePoll({ intervalMs, topic, fetchData, fetchAtStart }: PollInputs): void {
  const store = useStore();
  const latestFetch = useRef(fetchData);
  useEffect(() => {
    latestFetch.current = fetchData;
  });
  useEffect(() => {
    const poll = () => void latestFetch.current().catch(() => {});
    const hasRecentContact = () => {
      if (topic === null || !store.get(liveConnectionAtom).open) return false;
      const lastContact = store.get(topicLastContactAtom);
      // The heartbeat covers a topic only after the topic's snapshot has arrived.
      const last =
        lastContact[topic] === undefined
          ? -Infinity
          : Math.max(lastContact[topic], lastContact[''] ?? -Infinity);
      return performance.now() - last <= intervalMs;
    };
    if (fetchAtStart) poll();
    const timer = setInterval(() => {
      if (!hasRecentContact()) poll();
    }, intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs, topic, fetchAtStart, store]);
}

/** Keeps one draw live. `missing` is set once the server says that the draw does not exist. */
export function useLiveDraw(drawNumber: number, intervalMs = 10_000) {
  const draw = useAtomValue(drawAtom(drawNumber));
  const receive = useSetAtom(receiveDrawsAtom);
  const [missing, setMissing] = useState(false);
  const [failed, setFailed] = useState(false);
  useTopicSubscription(`draw:${drawNumber}`);
  const fetchData = async () => {
    try {
      receive([await fetchDraw(drawNumber)]);
      setFailed(false);
    } catch (error) {
      if (error instanceof HttpError && (error.status === 404 || error.status === 400))
        setMissing(true);
      else setFailed(true);
    }
  };
  // A draw taken from a list lacks the contact and the account, so the whole draw is requested.
  usePoll({
    intervalMs,
    topic: `draw:${drawNumber}`,
    fetchData,
    fetchAtStart: draw?.connectedAccountId === undefined,
  });
  return { draw, missing: missing && !draw, failed: failed && !draw, retry: fetchData };
}

const DRAW_LIST_SOURCES = {
  active: { ask: fetchActiveDraws, intervalMs: 15_000 },
  awaiting: { ask: fetchAwaitingDraws, intervalMs: 30_000 },
  completed: { ask: fetchCompletedDraws, intervalMs: 60_000 },
} as const;

/**
 * The maximum number of completed draws embedded in the page. A component that counts them all must
 * request the list.
 */
const BOOT_LIST_DRAWS_MAX = 60;

/**
 * Keeps one list of draws live. A visitor who returns to the list gets a new one at once; at the
 * first visit, the list embedded in the page is used.
 */
export function useLiveDrawList(name: ListName) {
  const store = useStore();
  const receive = useSetAtom(receiveDrawListAtom);
  const leave = useSetAtom(visitedListsAtom);
  const [back] = useState(() => store.get(visitedListsAtom)[name] === true);
  const arriving = useRef(back);
  useEffect(() => () => leave((left) => ({ ...left, [name]: true })), [name, leave]);
  const [failed, setFailed] = useState(false);
  const { ask: fetchList, intervalMs } = DRAW_LIST_SOURCES[name];
  useTopicSubscription('draws');
  const fetchData = async () => {
    try {
      receive(name, await fetchList(), arriving.current);
      arriving.current = false;
      setFailed(false);
    } catch {
      setFailed(true);
    }
  };
  // New draws arrive only by polling, because frames carry no prices. So live frames never replace
  // this poll.
  const [fetchAtStart] = useState(() => {
    const initialDraws = store.get(liveStateAtom).lists[name];
    return back || initialDraws === null || initialDraws.length >= BOOT_LIST_DRAWS_MAX;
  });
  usePoll({ intervalMs, topic: null, fetchData, fetchAtStart });
  return { failed, retry: fetchData };
}

export function useMaintenanceUpdates(): void {
  const receive = useSetAtom(receiveMaintenanceAtom);
  useTopicSubscription('public');
  usePoll({
    intervalMs: 30_000,
    topic: 'public',
    fetchAtStart: false,
    fetchData: async () => receive((await fetchPublicMaintenanceMode()).maintenanceMode),
  });
}

/** Keeps one order live, by its token. The order is requested every 2 seconds while `urgent`. */
export function useLiveOrder(token: string, urgent: boolean) {
  const order = useAtomValue(orderAtom(token));
  const receive = useSetAtom(receiveOrderAtom);
  const [missing, setMissing] = useState(false);
  const [failed, setFailed] = useState(false);
  useTopicSubscription(token ? `order:${token}` : null);
  const fetchData = async () => {
    if (!token) return;
    try {
      receive(await fetchOrder(token));
      setFailed(false);
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) setMissing(true);
      else setFailed(true);
    }
  };
  usePoll({
    intervalMs: urgent ? 2_000 : 15_000,
    topic: urgent ? null : `order:${token}`,
    fetchData,
    fetchAtStart: order === undefined,
  });
  return {
    order,
    missing: missing && !order,
    failed: failed && !missing && !order,
    retry: fetchData,
  };
}

/** Returns the current server time, for code outside rendering. */
export function useServerNow(): () => number {
  const store = useStore();
  return useCallback(() => serverNow(store.get(serverClockAtom), performance.now()), [store]);
}
