/** Cache of the newest response to each of the console's queries. */
import { atom, type PrimitiveAtom } from 'jotai';
import { HttpError } from '@/api/http';
import { isSessionExpiredError } from '@/api/session-expired';
import type { OpsNews } from '@/api/wire-platform';
import { recordResponseTimeAtom, topicDataAtom } from '@/features/shared-live/live-atoms';
import { atomFamily } from '@/shared/atom-family';
import { sessionExpiredAtom } from '../session/session-atoms';
import { QUERIES, type QueryName } from './queries';

export interface CachedResponse {
  data: unknown;
  error: Error | null;
}

const NOT_LOADED_RESPONSE: CachedResponse = { data: undefined, error: null };
/** Sequence number of the latest request per query. A response with an older number is dropped. */
const latestRequestNumberAtom = atomFamily<QueryName, PrimitiveAtom<number>>(() => atom(0));
export const queryStateAtom = atomFamily<QueryName, PrimitiveAtom<CachedResponse>>(() =>
  atom<CachedResponse>(NOT_LOADED_RESPONSE),
);

/**
 * Sends a query now. The old data stays visible until the response and after a failure. A failure
 * records the error.
 */
export const refetchQueryAtom = atom(null, async (get, set, name: QueryName): Promise<void> => {
  const requestNumber = get(latestRequestNumberAtom(name)) + 1;
  set(latestRequestNumberAtom(name), requestNumber);
  const isSuperseded = () => get(latestRequestNumberAtom(name)) !== requestNumber;
  try {
    const data = await QUERIES[name].fetch();
    set(recordResponseTimeAtom);
    if (!isSuperseded()) set(queryStateAtom(name), { data, error: null });
  } catch (error) {
    if (isSessionExpiredError(error)) set(sessionExpiredAtom, true);
    // An error response also proves that the server is reachable.
    if (error instanceof HttpError) set(recordResponseTimeAtom);
    if (!isSuperseded())
      set(queryStateAtom(name), { ...get(queryStateAtom(name)), error: error as Error });
    throw error;
  }
});

/** Stores the response of a write as the newest data, without another request. */
export const setQueryDataAtom = atom(
  null,
  (get, set, name: QueryName, change: (data: unknown) => unknown) => {
    set(latestRequestNumberAtom(name), get(latestRequestNumberAtom(name)) + 1);
    set(queryStateAtom(name), { data: change(get(queryStateAtom(name)).data), error: null });
  },
);

export const operatorUpdateAtom = atom((get) => get(topicDataAtom('ops')) as OpsNews | undefined);
/**
 * The revision counter of one list, as sent by the socket. A new number means that the list
 * changed.
 */
export const listRevisionAtom = atomFamily((list: keyof OpsNews['revisions']) =>
  atom((get) => get(operatorUpdateAtom)?.revisions?.[list]),
);
