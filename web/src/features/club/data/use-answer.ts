/** One address's answer, kept between screens, asked for again at an interval and after changes. */
import { useAtomValue, useSetAtom } from 'jotai';
import { useCallback, useEffect, useState } from 'react';
import { Problem, get } from '@/api/http';
import { usePoll } from '@/features/shared-live/use-live';
import { expiredAtom, loginRoundAtom } from '../session/session-atoms';
import { answersAtom, changesAtom, keepAnswerAtom } from './answers-atoms';

export interface Answer<Data> {
  data: Data | undefined;
  /** The last refusal or failure, while there is nothing newer. */
  problem: unknown;
  /** Asks again; whether an answer came. */
  retry: () => Promise<boolean>;
}

interface Options {
  /** Milliseconds between polls; null for none. */
  every?: number | null;
  /** A topic of the socket that may stand in for a poll. */
  topic?: string | null;
  /** A 401 opens the login over the page; false where the page says something itself. */
  guarded?: boolean;
}

// The longest a browser's timer can wait: some 24 days.
const NEVER_MS = 2 ** 31 - 1;

const asking = new Map<string, Promise<unknown>>();

/** Two parts of one screen that want the same ask once. */
function askOnce<Data>(path: string): Promise<Data> {
  const known = asking.get(path);
  if (known) return known as Promise<Data>;
  const answer = get<Data>(path).finally(() => asking.delete(path));
  asking.set(path, answer);
  return answer;
}

/** `null` asks for nothing yet. */
export function useAnswer<Data>(
  path: string | null,
  { every = null, topic = null, guarded = true }: Options = {},
): Answer<Data> {
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
      if (guarded && error instanceof Problem && error.status === 401) setExpired(true);
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
  problem instanceof Problem && problem.status === 404;
