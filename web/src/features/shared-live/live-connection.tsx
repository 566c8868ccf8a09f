/** The only socket, the only ticker and the server's clock. The app mounts them once. */
import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { onServerTime } from '@/api/http';
import { useLiveSocket } from '@/api/live-socket';
import {
  recordServerTimeAtom,
  nowAtom,
  receiveFrameAtom,
  setSocketStateAtom,
  subscribedTopicsAtom,
} from './live-atoms';
import { useServerNow } from './use-live';

const HIDDEN_PAGE_CONNECTED_MS = 5 * 60_000;

/** Whether the page is visible or was visible within the last five minutes. */
function useIsPageRecentlyVisible(): boolean {
  const [lookedAt, setLookedAt] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const changed = () => {
      clearTimeout(timer);
      if (document.visibilityState === 'visible') setLookedAt(true);
      else timer = setTimeout(() => setLookedAt(false), HIDDEN_PAGE_CONNECTED_MS);
    };
    document.addEventListener('visibilitychange', changed);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', changed);
    };
  }, []);
  return lookedAt;
}

/**
 * Ticks on each whole second of the server's clock, so that several screens in one room show the
 * same time.
 */
function useTickEachSecond(): void {
  const tick = useSetAtom(nowAtom);
  const now = useServerNow();
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const turn = () => {
      tick();
      timer = setTimeout(turn, 1000 - (now() % 1000) + 5);
    };
    turn();
    return () => clearTimeout(timer);
    // eslint-disable-next-line react-hooks/exhaustive-deps -- `now` reads the current clock at each call
  }, [tick]);
}

export function LiveConnection({ always }: { always: boolean }) {
  const topics = useAtomValue(subscribedTopicsAtom);
  const onFrame = useSetAtom(receiveFrameAtom);
  const onState = useSetAtom(setSocketStateAtom);
  const noteTime = useSetAtom(recordServerTimeAtom);
  const lookedAt = useIsPageRecentlyVisible();
  useEffect(() => onServerTime(noteTime), [noteTime]);
  useTickEachSecond();
  useLiveSocket({ topics, connect: (always || lookedAt) && topics.length > 0, onFrame, onState });
  return null;
}
