/** Loads and caches the response of one path. Reloads it at an interval and after changes. */
import { useAtomValue, useSetAtom } from 'jotai';
import { useCallback, useEffect, useState } from 'react';
import { HttpError, get } from '@/api/http';
import { usePoll } from '@/features/shared-live/use-live';
import { expiredAtom, loginRoundAtom } from '../session/session-atoms';
import { answersAtom, changesAtom, keepAnswerAtom } from './query-atoms';

export interface PolledQuery<Data> {
  data: Data | undefined;
  /** The last error; null again after a successful response. */
  problem: unknown;
  /** Repeats the request and resolves to whether it succeeded. */
  retry: () => Promise<boolean>;
}

interface PollOptions {
  /** Milliseconds between polls; null disables polling. */
  every?: number | null;
  /** A socket topic that can replace polling. */
  topic?: string | null;
  /** Whether a 401 opens the login dialog; false where the page handles it. */
  guarded?: boolean;
}

// The longest delay a browser timer accepts: about 24 days.
const NEVER_MS = 2 ** 31 - 1;

const asking = new Map<string, Promise<unknown>>();

/** Shares one request between components that load the same path at the same time. */
function askOnce<Data>(path: string): Promise<Data> {
  const known = asking.get(path);
  if (known) return known as Promise<Data>;
  const answer = get<Data>(path).finally(() => asking.delete(path));
  asking.set(path, answer);
  return answer;
}

/** Loads `path` and keeps it current; `null` sends no request. */
export function useAnswer<Data>(
  path: string | null,
  { every = null, topic = null, guarded = true }: PollOptions = {},
): PolledQuery<Data> {
  const data = useAtomValue(answersAtom)[path ?? ''] as Data | undefined;
  const changes = useAtomValue(changesAtom)[path ?? ''] ?? 0;
  const round = useAtomValue(loginRoundAtom);
  const keep = useSetAtom(keepAnswerAtom);
  const setExpired = useSetAtom(expiredAtom);
  const [problem, setProblem] = useState<unknown>(null);
  const ask = useCallback(async () => {
    if (path === null) return false;
    try {
      keep(path, await askOnce<Data>(path));
      setProblem(null);
      return true;
    } catch (error) {
      if (guarded && error instanceof HttpError && error.status === 401) setExpired(true);
      setProblem(error);
      return false;
    }
  }, [path, keep, guarded, setExpired]);
  useEffect(() => {
    void ask();
  }, [ask, changes, round]);
  usePoll({ every: every ?? NEVER_MS, topic, ask, atOnce: false });
  return { data, problem, retry: ask };
}

export const isMissing = (problem: unknown): boolean =>
  problem instanceof HttpError && problem.status === 404;
