/**
 * Keeps the console's state in the URL: section, filters, search and order can be shared as a
 * link.
 */
import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';

export const CONSOLE = '/super-admin';

export interface Address {
  read: (name: string) => string;
  /**
   * Sets parameters; an empty text removes one. A new section adds a history entry, a filter
   * replaces the current one.
   */
  write: (changes: Readonly<Record<string, string>>, how?: 'push' | 'replace') => void;
  /** Opens a section and clears the filters of the previous one. */
  go: (section: string, more?: Readonly<Record<string, string>>) => void;
}

const path = (said: URLSearchParams) => (said.size > 0 ? `${CONSOLE}?${said.toString()}` : CONSOLE);

export function useAddress(): Address {
  const search = useSearch();
  const [, navigate] = useLocation();
  const said = useMemo(() => new URLSearchParams(search), [search]);
  const read = useCallback((name: string) => said.get(name) ?? '', [said]);
  const write = useCallback<Address['write']>(
    (changes, how = 'replace') => {
      // Reads the URL again: two changes in one tick must not undo each other.
      const next = new URLSearchParams(window.location.search);
      for (const [name, value] of Object.entries(changes)) {
        if (value) next.set(name, value);
        else next.delete(name);
      }
      navigate(path(next), { replace: how === 'replace' });
    },
    [navigate],
  );
  const go = useCallback<Address['go']>(
    (section, more = {}) => navigate(path(new URLSearchParams({ section, ...more }))),
    [navigate],
  );
  return { read, write, go };
}
