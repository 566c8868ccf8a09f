import { useEffect, useState } from 'react';

/** The secret of a mailed link, left out of the address bar once it has been read. */
export function useTokenOnce(): string {
  const [token] = useState(() => new URLSearchParams(window.location.search).get('token') ?? '');
  useEffect(() => {
    if (token) window.history.replaceState(window.history.state, '', window.location.pathname);
  }, [token]);
  return token;
}
