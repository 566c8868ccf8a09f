/** Connects the console's queries to the live connection and to the session. */
import type { QueryKey } from '@tanstack/react-query';
import { atom } from 'jotai';
import { HttpError } from '@/api/http';
import { isSessionExpiredError } from '@/api/session-expired';
import type { OpsNews } from '@/api/wire-platform';
import { recordResponseTimeAtom, topicDataAtom } from '@/features/shared-live/live-atoms';
import { atomFamily } from '@/shared/atom-family';
import { sessionExpiredAtom } from '../session/session-atoms';
import { QUERIES, type QueryName } from './queries';

export const consoleQueryKey = (name: QueryName): QueryKey => ['console', name];

/** Sends the request of one query. Records the contact with the server and the end of the session. */
export const fetchQueryAtom = atom(null, async (_get, set, name: QueryName): Promise<unknown> => {
  try {
    const data = await QUERIES[name].fetch();
    set(recordResponseTimeAtom);
    return data;
  } catch (error) {
    if (isSessionExpiredError(error)) set(sessionExpiredAtom, true);
    // An error response also proves that the server is reachable.
    if (error instanceof HttpError) set(recordResponseTimeAtom);
    throw error;
  }
});

export const operatorUpdateAtom = atom((get) => get(topicDataAtom('ops')) as OpsNews | undefined);
/**
 * The revision counter of one list, as sent by the socket. A new number means that the list
 * changed.
 */
export const listRevisionAtom = atomFamily((list: keyof OpsNews['revisions']) =>
  atom((get) => get(operatorUpdateAtom)?.revisions?.[list]),
);
