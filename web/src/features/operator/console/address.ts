/** The console's state is its address: section, filters, search and order can be sent to a colleague as a link. */
import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';

export const CONSOLE = '/super-admin';

export interface Address {
  read: (name: string) => string;
  /** Sets, or with an empty text removes; a change of section is a step back's worth, a filter is not. */
  write: (changes: Readonly<Record<string, string>>, how?: 'push' | 'replace') => void;
  /** Goes to a section and forgets the filters of the last one. */
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
      // Read anew: two changes in one turn must not undo each other.
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
