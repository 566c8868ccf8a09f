/**
 * Keeps the console's state in the URL, so that section, filters, search and sort order can be
 * shared as a link.
 */
import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';

export const CONSOLE_PATH = '/super-admin';

export interface ConsoleUrlState {
  read: (name: string) => string;
  /** Sets URL parameters; an empty text removes one. Replaces the current history entry. */
  write: (changes: Readonly<Record<string, string>>) => void;
  /** Opens a section and clears the filters of the previous one. */
  go: (section: string, more?: Readonly<Record<string, string>>) => void;
}

const consoleUrl = (params: URLSearchParams) =>
  params.size > 0 ? `${CONSOLE_PATH}?${params.toString()}` : CONSOLE_PATH;

export function useConsoleUrl(): ConsoleUrlState {
  const search = useSearch();
  const [, navigate] = useLocation();
  const params = useMemo(() => new URLSearchParams(search), [search]);
  const read = useCallback((name: string) => params.get(name) ?? '', [params]);
  const write = useCallback<ConsoleUrlState['write']>(
    (changes) => {
      // Reads the URL again, because two changes in one tick must not undo each other.
      const next = new URLSearchParams(window.location.search);
      for (const [name, value] of Object.entries(changes)) {
        if (value) next.set(name, value);
        else next.delete(name);
      }
      navigate(consoleUrl(next), { replace: true });
    },
    [navigate],
  );
  const go = useCallback<ConsoleUrlState['go']>(
    (section, more = {}) => navigate(consoleUrl(new URLSearchParams({ section, ...more }))),
    [navigate],
  );
  return { read, write, go };
}
