/** Loads and caches the response of one path. Reloads it at an interval and after changes. */
import { useAtomValue, useSetAtom } from 'jotai';
import { useCallback, useEffect, useState } from 'react';
import { HttpError, get } from '@/api/http';
import { isSessionExpiredError } from '@/api/session-expired';
import { usePoll } from '@/features/shared-live/use-live';
import { sessionExpiredAtom, loginCountAtom } from '../session/session-atoms';
import { responseByPathAtom, changeCountByPathAtom, cacheResponseAtom } from './query-atoms';

export interface PolledQuery<Data> {
  data: Data | undefined;
  /** The last error; null again after a successful response. */
  problem: unknown;
  /** Repeats the request and resolves to whether it succeeded. */
  retry: () => Promise<boolean>;
}

interface PollOptions {
  /** Milliseconds between polls; null disables polling. */
  intervalMs?: number | null;
  /** A socket topic. While its messages arrive, no polls are sent. */
  topic?: string | null;
  /** Whether an ended session opens the login dialog; false where the page handles it. */
  opensLogin?: boolean;
}

// The longest delay in milliseconds that a browser timer accepts: about 24 days.
const BROWSER_TIMER_MS_MAX = 2 ** 31 - 1;

const pendingRequests = new Map<string, Promise<unknown>>();

/** Shares one request between components that load the same path at the same time. */
function fetchSharingPendingRequest<Data>(path: string): Promise<Data> {
  const pending = pendingRequests.get(path);
  if (pending) return pending as Promise<Data>;
  const answer = get<Data>(path).finally(() => pendingRequests.delete(path));
  pendingRequests.set(path, answer);
  return answer;
}

/** Loads `path` and keeps it current; `null` sends no request. */
export function useQuery<Data>(
  path: string | null,
  { intervalMs = null, topic = null, opensLogin = true }: PollOptions = {},
): PolledQuery<Data> {
  const data = useAtomValue(responseByPathAtom)[path ?? ''] as Data | undefined;
  const changes = useAtomValue(changeCountByPathAtom)[path ?? ''] ?? 0;
  const loginCount = useAtomValue(loginCountAtom);
  const cacheResponse = useSetAtom(cacheResponseAtom);
  const setExpired = useSetAtom(sessionExpiredAtom);
  const [problem, setProblem] = useState<unknown>(null);
  const load = useCallback(async () => {
    if (path === null) return false;
    try {
      cacheResponse(path, await fetchSharingPendingRequest<Data>(path));
      setProblem(null);
      return true;
    } catch (error) {
      if (opensLogin && isSessionExpiredError(error)) setExpired(true);
      setProblem(error);
      return false;
    }
  }, [path, cacheResponse, opensLogin, setExpired]);
  useEffect(() => {
    void load();
  }, [load, changes, loginCount]);
  usePoll({
    intervalMs: intervalMs ?? BROWSER_TIMER_MS_MAX,
    topic,
    fetchData: load,
    fetchAtStart: false,
  });
  return { data, problem, retry: load };
}

export const isNotFoundError = (problem: unknown): boolean =>
  problem instanceof HttpError && problem.status === 404;
