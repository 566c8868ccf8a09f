import { QueryClient } from '@tanstack/react-query';
import { atom } from 'jotai';

/**
 * The cache of responses, one for each store. It holds the newest response to each query until the
 * user changes. The desks send each further request explicitly: by a poll, an announced change or a
 * retry. The hooks receive the client without the library's provider, so a window that gets focus
 * sends no request.
 */
export const queryClientAtom = atom(
  () =>
    new QueryClient({
      defaultOptions: {
        queries: {
          gcTime: Infinity,
          retry: false,
          // A request without a network must fail and show its error. The default waits silently.
          networkMode: 'always',
          // Keeps each response as a new object: a response also proves recent contact with the
          // server, even when its content has not changed.
          structuralSharing: false,
        },
      },
    }),
);

/**
 * Removes all cached data, so that the next user does not see the previous user's data. Responses to
 * requests that are still running are dropped. Sends no request.
 */
export const clearQueriesAtom = atom(null, (get) => {
  for (const query of get(queryClientAtom).getQueryCache().getAll()) query.reset();
});
