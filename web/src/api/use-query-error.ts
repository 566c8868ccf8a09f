import { useState } from 'react';

interface QueryResult {
  data: unknown;
  error: Error | null;
  isFetching: boolean;
}

/**
 * Returns a query's error and keeps it while a failed first request is repeated. The library drops
 * the error when a repetition starts, so an error message would disappear and come back at each poll.
 */
export function useQueryError({ data, error, isFetching }: QueryResult): Error | null {
  const [lastError, setLastError] = useState(error);
  const shown = isFetching && data === undefined ? lastError : error;
  if (shown !== lastError) setLastError(shown);
  return shown;
}
