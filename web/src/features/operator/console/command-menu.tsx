import { useAtom, useSetAtom } from 'jotai';
import { useMemo, useState, type KeyboardEvent } from 'react';
import type { SearchHit } from '@/api/wire-platform';
import { Dialog } from '@/shared/ui/dialog';
import { anomalyLabelOf } from '../payments/anomalies';
import { useLogout } from '../session/use-logout';
import { useConsoleUrl } from './address';
import { builtInCommands, matchingCommands, type Command } from './commands';
import { commandMenuOpenAtom, requestedActionAtom, shortcutsDialogOpenAtom } from './console-atoms';
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
const GROUP_KINDS = { Sections: 'Section', Actions: 'Action', Found: 'Found' } as const;

const SECTION_OF_ACTION = { check: 'payments', scan: 'payments', logs: 'system' } as const;

/**
 * Returns the URL parameters that open a search hit. An order opens directly, because the payment
 * list contains only the last 30 days.
 */
const searchHitUrlParams = ({ kind, id, key }: SearchHit): Record<string, string> =>
  kind === 'order' || kind === 'anomaly' ? { open: id } : { q: key };

function useCommands(query: string): Command[] {
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

/** Command menu (⌘K or /): navigation, actions and search by keyboard. */
export function CommandMenu() {
  const [open, setOpen] = useAtom(commandMenuOpenAtom);
  return (
    <Dialog title="Search and commands" open={open} onClose={() => setOpen(false)}>
      <CommandPalette onDone={() => setOpen(false)} />
    </Dialog>
  );
}

function CommandPalette({ onDone }: { onDone: () => void }) {
  const [query, setQuery] = useState('');
  const [selectedIndex, setSelectedIndex] = useState(0);
  const commands = useCommands(query);
  const current = Math.min(selectedIndex, Math.max(0, commands.length - 1));
  const run = (command: Command | undefined) => {
    if (!command) return;
    onDone();
    command.run();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = {
      ArrowDown: current + 1,
      ArrowUp: current - 1,
      Home: 0,
      End: commands.length - 1,
    }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      setSelectedIndex((next + commands.length) % Math.max(1, commands.length));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      run(commands[current]);
    }
  };
  return (
    <>
      <input
        className="ops-palette-input"
        type="text"
        role="combobox"
        aria-label="Search clubs, draws, payments and commands"
        aria-expanded
        aria-controls="palette-list"
        aria-autocomplete="list"
        aria-activedescendant={commands[current] ? `palette-${commands[current].id}` : undefined}
        placeholder="Name, e-mail, FD-1042, pi_…, or a command"
        data-autofocus
        autoComplete="off"
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setSelectedIndex(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul className="ops-palette" id="palette-list" role="listbox" aria-label="Results">
        {commands.map((command, index) => (
          <li
            key={command.id}
            id={`palette-${command.id}`}
            role="option"
            aria-selected={index === current}
            ref={
              index === current ? (item) => item?.scrollIntoView({ block: 'nearest' }) : undefined
            }
            onPointerMove={() => setSelectedIndex(index)}
            onClick={() => run(command)}
          >
            <small className="ops-palette-kind">{command.kind ?? GROUP_KINDS[command.group]}</small>
            <span>{command.title}</span>
            {command.detail ? <small>{command.detail}</small> : null}
          </li>
        ))}
      </ul>
      {commands.length === 0 ? (
        <p className="meta" role="status">
          Nothing found.
        </p>
      ) : null}
    </>
  );
}
