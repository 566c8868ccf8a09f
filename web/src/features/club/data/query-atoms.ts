/** Changes to the cached responses of the club's desk. The path is the key of a response. */
import type { QueryKey } from '@tanstack/react-query';
import { atom } from 'jotai';
import { queryClientAtom } from '@/api/query-client-atoms';

export const clubQueryKey = (path: string | null): QueryKey => ['club', path];

/**
 * Stores the response of a write as the newest data, without another request. The response to an
 * older request is dropped.
 */
export const cacheResponseAtom = atom(null, (get, _set, path: string, response: unknown) => {
  const client = get(queryClientAtom);
  const queryKey = clubQueryKey(path);
  void client.cancelQueries({ queryKey });
  client.setQueryData(queryKey, response);
});

/** Repeats the queries of these paths. A path that is not shown is requested when it is shown. */
export const markPathsChangedAtom = atom(null, (get, _set, ...paths: string[]) => {
  for (const path of paths)
    void get(queryClientAtom).invalidateQueries({ queryKey: clubQueryKey(path) });
});
