/**
 * One WebSocket for many topics. It reconnects without limit, because a board has no user to reload
 * it after an outage.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import useWebSocket, { ReadyState } from 'react-use-websocket';
import type { Frame } from '@/api/wire';

const SERVER_SILENCE_MS_MAX = 35_000;
const SILENCE_CHECK_INTERVAL_MS = 5_000;
const RECONNECT_PAUSE_MS_MIN = 250;
const RECONNECT_PAUSE_MS_MAX = 30_000;

/**
 * Returns the pause before the next connection attempt, in milliseconds. Random pauses (full
 * jitter) spread the reconnects of many screens.
 */
export function reconnectPause(attempt: number, random: number = Math.random()): number {
  return Math.max(
    RECONNECT_PAUSE_MS_MIN,
    random * Math.min(RECONNECT_PAUSE_MS_MAX, 500 * 2 ** Math.min(attempt, 16)),
  );
}

export interface LiveSocketOptions {
  topics: readonly string[];
  /** Whether to keep a connection open. A board keeps one even while its page is hidden. */
  connect: boolean;
  onFrame: (frame: Frame) => void;
  onState: (state: 'open' | 'closed') => void;
}

function socketUrl(topics: readonly string[]): string {
  const scheme = window.location.protocol === 'https:' ? 'wss' : 'ws';
  return `${scheme}://${window.location.host}/ws?topics=${topics.map(encodeURIComponent).join(',')}`;
}

function parseFrame(text: string): Frame | null {
  try {
    const frame = JSON.parse(text) as Frame;
    return frame.v === 1 ? frame : null;
  } catch {
    return null;
  }
}

export function useLiveSocket({ topics, connect, onFrame, onState }: LiveSocketOptions): void {
  // Number of forced reconnects. A new number changes the URL function, which makes the hook open a
  // new socket.
  const [reconnectCount, setReconnectCount] = useState(0);
  const latestTopics = useRef(topics);
  const announced = useRef<readonly string[]>([]);
  const lastMessageAt = useRef(0);
  const requestedPause = useRef(0);

  // Runs before the effects of the socket hook, so that a new socket's URL contains the current
  // topics.
  useEffect(() => {
    latestTopics.current = topics;
  }, [topics]);

  const currentUrl = useCallback(
    () => socketUrl((announced.current = latestTopics.current)),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- a new count forces a reconnect
    [reconnectCount],
  );

  const { sendMessage, readyState } = useWebSocket(connect ? currentUrl : null, {
    share: false,
    retryOnError: true,
    shouldReconnect: () => true,
    reconnectAttempts: Infinity,
    reconnectInterval: (attempt) => Math.max(requestedPause.current, reconnectPause(attempt)),
    // Ignores the message state of `useWebSocket`: `onMessage` receives every frame, and the state
    // would cause a render for each frame.
    filter: () => false,
    onOpen: () => {
      lastMessageAt.current = performance.now();
      requestedPause.current = 0;
      onState('open');
    },
    onClose: (event) => {
      const requestedPauseMs = Number(event.reason);
      requestedPause.current =
        event.code === 1001 && Number.isFinite(requestedPauseMs)
          ? Math.min(RECONNECT_PAUSE_MS_MAX, requestedPauseMs * Math.random())
          : 0;
      onState('closed');
    },
    onMessage: (message) => {
      lastMessageAt.current = performance.now();
      const frame = parseFrame(String(message.data));
      if (frame) onFrame(frame);
    },
  });

  useEffect(() => {
    if (readyState !== ReadyState.OPEN) return;
    const added = topics.filter((topic) => !announced.current.includes(topic));
    const dropped = announced.current.filter((topic) => !topics.includes(topic));
    if (added.length > 0) sendMessage(JSON.stringify({ subscribe: added }));
    if (dropped.length > 0) sendMessage(JSON.stringify({ unsubscribe: dropped }));
    announced.current = topics;
  }, [topics, readyState, sendMessage]);

  useEffect(() => {
    const reconnect = () => setReconnectCount((last) => last + 1);
    const closeIfSilent = () => {
      if (
        document.visibilityState === 'visible' &&
        performance.now() - lastMessageAt.current > SERVER_SILENCE_MS_MAX
      )
        reconnect();
    };
    const watch = setInterval(() => {
      if (
        readyState === ReadyState.OPEN &&
        performance.now() - lastMessageAt.current > SERVER_SILENCE_MS_MAX
      )
        reconnect();
    }, SILENCE_CHECK_INTERVAL_MS);
    window.addEventListener('online', reconnect);
    document.addEventListener('visibilitychange', closeIfSilent);
    return () => {
      clearInterval(watch);
      window.removeEventListener('online', reconnect);
      document.removeEventListener('visibilitychange', closeIfSilent);
    };
  }, [readyState]);
}
