/**
 * Loads the data of an offer board or an embedded widget every 15 seconds. The last successful
 * response is shown (specification line A:238) until the server says that the draw or offer no
 * longer exists.
 */
import { useSetAtom } from 'jotai';
import { useState } from 'react';
import { HttpError } from '@/api/http';
import type { WidgetResponse } from '@/api/wire-public';
import { recordResponseTimeAtom } from '@/features/shared-live/live-atoms';
import { usePoll } from '@/features/shared-live/use-live';

const WIDGET_POLL_INTERVAL_MS = 15_000;

export function useWidget(
  ask: () => Promise<WidgetResponse>,
  initial: WidgetResponse | null = null,
) {
  const [widget, setWidget] = useState(initial);
  const [missing, setMissing] = useState(false);
  const noteAnswer = useSetAtom(recordResponseTimeAtom);
  const turn = async () => {
    try {
      setWidget(await ask());
      setMissing(false);
      noteAnswer();
    } catch (error) {
      if (error instanceof HttpError && error.status === 404) setMissing(true);
    }
  };
  usePoll({
    intervalMs: WIDGET_POLL_INTERVAL_MS,
    topic: null,
    fetchAtStart: true,
    fetchData: turn,
  });
  return { widget: missing ? null : widget, missing };
}
