import { useEffect, useState } from 'react';

/** Returns the token of an e-mailed link and removes it from the address bar. */
export function useMailedLinkToken(): string {
  const [token] = useState(() => new URLSearchParams(window.location.search).get('token') ?? '');
  useEffect(() => {
    if (token) window.history.replaceState(window.history.state, '', window.location.pathname);
  }, [token]);
  return token;
}
