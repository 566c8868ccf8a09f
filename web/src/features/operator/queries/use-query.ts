/**
 * Hooks that read the console's responses and keep them current: the socket announces changes, and
 * polling covers a lost socket.
 */
import { useAtomValue, useSetAtom } from 'jotai';
import { useCallback, useEffect, useRef } from 'react';
import { usePoll } from '@/features/shared-live/use-live';
import {
  queryStateAtom,
  refetchQueryAtom,
  setQueryDataAtom,
  listRevisionAtom,
} from './query-atoms';
import { QUERIES, type QueryData, type QueryDefinition, type QueryName } from './queries';

export interface ConsoleQuery<Data> {
  data: Data | undefined;
  error: Error | null;
  refetch: () => Promise<void>;
}

export function useQuery<Name extends QueryName>(name: Name): ConsoleQuery<QueryData<Name>> {
  const { data, error } = useAtomValue(queryStateAtom(name));
  const refetchQuery = useSetAtom(refetchQueryAtom);
  const refetch = useCallback(() => refetchQuery(name), [refetchQuery, name]);
  return { data: data as QueryData<Name> | undefined, error, refetch };
}

/** Returns a function that repeats several queries. It fails when one of them fails. */
export function useRefetchQueries(): (...names: readonly QueryName[]) => Promise<void> {
  const refetchQuery = useSetAtom(refetchQueryAtom);
  return useCallback(
    async (...names: readonly QueryName[]) => {
      await Promise.all(names.map((name) => refetchQuery(name)));
    },
    [refetchQuery],
  );
}

export function useSetQueryData() {
  const setQueryData = useSetAtom(setQueryDataAtom);
  return useCallback(
    <Name extends QueryName>(
      name: Name,
      change: (data: QueryData<Name> | undefined) => QueryData<Name> | undefined,
    ) => setQueryData(name, change as (data: unknown) => unknown),
    [setQueryData],
  );
}

/** Keeps one query current while mounted. */
export function QueryPoller({ name }: { name: QueryName }) {
  const { intervalMs, revisionList }: QueryDefinition<unknown> = QUERIES[name];
  const refetchQuery = useSetAtom(refetchQueryAtom);
  const revision = useAtomValue(listRevisionAtom(revisionList ?? 'audit'));
  const lastRevision = useRef(revision);
  usePoll({
    intervalMs,
    topic: revisionList ? 'ops' : null,
    fetchAtStart: true,
    fetchData: () => refetchQuery(name),
  });
  useEffect(() => {
    const changed = lastRevision.current !== undefined && revision !== lastRevision.current;
    lastRevision.current = revision;
    if (revisionList && changed) void refetchQuery(name).catch(() => {});
  }, [revision, revisionList, refetchQuery, name]);
  return null;
}
