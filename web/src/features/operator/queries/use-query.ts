/**
 * Hooks that read the console's responses and keep them current: the socket announces changes, and
 * polling covers a lost socket.
 */
import { useQuery as useCachedQuery } from '@tanstack/react-query';
import { useAtomValue, useSetAtom } from 'jotai';
import { useCallback, useEffect, useRef } from 'react';
import { queryClientAtom } from '@/api/query-client-atoms';
import { useQueryError } from '@/api/use-query-error';
import { usePoll } from '@/features/shared-live/use-live';
import { consoleQueryKey, fetchQueryAtom, listRevisionAtom } from './query-atoms';
import { QUERIES, type QueryData, type QueryDefinition, type QueryName } from './queries';

export interface ConsoleQuery<Data> {
  data: Data | undefined;
  error: Error | null;
  refetch: () => Promise<void>;
}

function useQueryOptions<Name extends QueryName>(name: Name) {
  const fetchQuery = useSetAtom(fetchQueryAtom);
  return {
    queryKey: consoleQueryKey(name),
    queryFn: () => fetchQuery(name) as Promise<QueryData<Name>>,
  };
}

/** Reads the newest response. Sends no request: `QueryPoller` keeps the section's queries current. */
export function useQuery<Name extends QueryName>(name: Name): ConsoleQuery<QueryData<Name>> {
  const result = useCachedQuery(
    { ...useQueryOptions(name), enabled: false },
    useAtomValue(queryClientAtom),
  );
  const { data, refetch: repeat } = result;
  const refetch = useCallback(async () => {
    await repeat({ throwOnError: true });
  }, [repeat]);
  return { data, error: useQueryError(result), refetch };
}

/**
 * Returns a function that repeats the shown queries among the named ones. The others are repeated
 * when their section opens. It fails when one of them fails.
 */
export function useRefetchQueries(): (...names: readonly QueryName[]) => Promise<void> {
  const client = useAtomValue(queryClientAtom);
  return useCallback(
    async (...names: readonly QueryName[]) => {
      await Promise.all(
        names.map((name) =>
          client.invalidateQueries({ queryKey: consoleQueryKey(name) }, { throwOnError: true }),
        ),
      );
    },
    [client],
  );
}

/**
 * Returns a function that stores the response of a write as the newest data, without another
 * request. The response to an older request is dropped.
 */
export function useSetQueryData() {
  const client = useAtomValue(queryClientAtom);
  return useCallback(
    <Name extends QueryName>(
      name: Name,
      change: (data: QueryData<Name> | undefined) => QueryData<Name> | undefined,
    ) => {
      const queryKey = consoleQueryKey(name);
      void client.cancelQueries({ queryKey });
      client.setQueryData<QueryData<Name>>(queryKey, change);
    },
    [client],
  );
}

/** Keeps one query current while mounted. */
export function QueryPoller({ name }: { name: QueryName }) {
  const { intervalMs, revisionList }: QueryDefinition<unknown> = QUERIES[name];
  const { refetch } = useCachedQuery(useQueryOptions(name), useAtomValue(queryClientAtom));
  const revision = useAtomValue(listRevisionAtom(revisionList ?? 'audit'));
  const lastRevision = useRef(revision);
  usePoll({
    intervalMs,
    topic: revisionList ? 'ops' : null,
    fetchAtStart: false,
    fetchData: refetch,
  });
  useEffect(() => {
    const changed = lastRevision.current !== undefined && revision !== lastRevision.current;
    lastRevision.current = revision;
    if (revisionList && changed) void refetch();
  }, [revision, revisionList, refetch]);
  return null;
}
