import { useSetAtom } from 'jotai';
import { useMemo } from 'react';
import type { SearchHit } from '@/api/wire-platform';
import { anomalyLabelOf } from '../payments/anomalies';
import { useLogout } from '../session/use-logout';
import { useConsoleUrl } from './address';
import { builtInCommands, matchingCommands, type Command } from './commands';
import { requestedActionAtom, shortcutsDialogOpenAtom } from './console-atoms';
import { useSearchHits } from './use-search-hits';

/** Names of what a search finds. */
const SEARCH_HIT_KINDS: Readonly<Record<string, string>> = {
  club: 'Club',
  draw: 'Draw',
  order: 'Order',
  anomaly: 'Anomaly',
  ticket: 'Ticket',
  waitlist: 'Waitlist',
};
const SECTION_OF_ACTION = { check: 'payments', scan: 'payments', logs: 'system' } as const;

/**
 * Returns the URL parameters that open a search hit. An order opens directly, because the payment
 * list contains only the last 30 days.
 */
const searchHitUrlParams = ({ kind, id, key }: SearchHit): Record<string, string> =>
  kind === 'order' || kind === 'anomaly' ? { open: id } : { q: key };

/** Returns the commands that match the query, followed by what the server finds. */
export function useCommands(query: string): Command[] {
  const { go } = useConsoleUrl();
  const logout = useLogout();
  const setRequestedAction = useSetAtom(requestedActionAtom);
  const setShortcuts = useSetAtom(shortcutsDialogOpenAtom);
  const hits = useSearchHits(query);
  return useMemo(() => {
    const handlers = {
      go,
      logout: () => void logout(),
      shortcuts: () => setShortcuts(true),
      requestAction: (what: keyof typeof SECTION_OF_ACTION) => {
        go(SECTION_OF_ACTION[what]);
        setRequestedAction(what);
      },
    };
    const hitCommands = hits.map((hit): Command => ({
      id: `${hit.kind}-${hit.id}`,
      title: hit.kind === 'anomaly' ? anomalyLabelOf(hit.title) : hit.title,
      detail: hit.detail,
      kind: SEARCH_HIT_KINDS[hit.kind] ?? hit.kind,
      group: 'Found',
      run: () => go(hit.section, searchHitUrlParams(hit)),
    }));
    return [...matchingCommands(builtInCommands(handlers), query), ...hitCommands];
    // eslint-disable-next-line react-hooks/exhaustive-deps -- logging out needs no fresh reference
  }, [query, hits, go, setRequestedAction, setShortcuts]);
}
