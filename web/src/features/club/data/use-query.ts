/** Loads and caches the response of one path. Reloads it at an interval and after changes. */
import { skipToken, useQuery as useCachedQuery } from '@tanstack/react-query';
import { useAtomValue, useSetAtom } from 'jotai';
import { useCallback, useEffect } from 'react';
import { HttpError, get } from '@/api/http';
import { queryClientAtom } from '@/api/query-client-atoms';
import { isSessionExpiredError } from '@/api/session-expired';
import { useQueryError } from '@/api/use-query-error';
import { usePoll } from '@/features/shared-live/use-live';
import { sessionExpiredAtom } from '../session/session-atoms';
import { clubQueryKey } from './query-atoms';

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

/** Loads `path` and keeps it current; `null` sends no request. */
export function useQuery<Data>(
  path: string | null,
  { intervalMs = null, topic = null, opensLogin = true }: PollOptions = {},
): PolledQuery<Data> {
  const setExpired = useSetAtom(sessionExpiredAtom);
  const result = useCachedQuery(
    {
      queryKey: clubQueryKey(path),
      queryFn: path === null ? skipToken : () => get<Data>(path),
    },
    useAtomValue(queryClientAtom),
  );
  const { data, refetch, isFetchedAfterMount } = result;
  const lastError = useQueryError(result);
  // An error from before the mount may be out of date: the user may have logged in again since.
  const problem = isFetchedAfterMount ? lastError : null;
  useEffect(() => {
    if (opensLogin && isSessionExpiredError(problem)) setExpired(true);
  }, [opensLogin, problem, setExpired]);
  const retry = useCallback(
    async () => path !== null && (await refetch()).isSuccess,
    [path, refetch],
  );
  usePoll({
    intervalMs: intervalMs ?? BROWSER_TIMER_MS_MAX,
    topic,
    fetchData: retry,
    fetchAtStart: false,
  });
  return { data, problem, retry };
}

export const isNotFoundError = (problem: unknown): boolean =>
  problem instanceof HttpError && problem.status === 404;
