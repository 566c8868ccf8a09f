/** Entries of the command menu beside search hits: the sections and the global actions. */
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import type { ConsoleAction } from './console-atoms';
import { ACTIVITY_LOG, SECTIONS } from './sections';

export interface Command {
  id: string;
  title: string;
  group: 'Sections' | 'Actions' | 'Found';
  /** What the entry is, such as `Draw`; the group's name if it is not set. */
  kind?: string;
  detail?: string;
  /** Additional search terms. */
  keywords?: string;
  run: () => void;
}

/** Names of the groups for display beside an entry. */
export const COMMAND_GROUP_KINDS = {
  Sections: 'Section',
  Actions: 'Action',
  Found: 'Found',
} as const;

export interface CommandHandlers {
  go: (section: string, more?: Readonly<Record<string, string>>) => void;
  /**
   * Opens the section and starts the action there. The URL cannot start an action, because an
   * attacker could send such a link.
   */
  requestAction: (what: ConsoleAction) => void;
  logout: () => void;
  shortcuts: () => void;
}

export function builtInCommands({
  go,
  requestAction,
  logout,
  shortcuts,
}: CommandHandlers): Command[] {
  return [
    ...[...SECTIONS, ACTIVITY_LOG].map(({ key, title }): Command => ({
      id: `go-${key}`,
      title,
      group: 'Sections',
      run: () => go(key),
    })),
    {
      id: 'needs-action',
      title: 'Anomalies that need action',
      group: 'Actions',
      keywords: 'unresolved payments',
      run: () => go('payments', { status: 'unresolved' }),
    },
    {
      id: 'run-check',
      title: O.runCheck,
      group: 'Actions',
      keywords: 'payments anomalies reconcile',
      run: () => requestAction('check'),
    },
    {
      id: 'scan',
      title: O.scanHistory,
      group: 'Actions',
      keywords: 'payments anomalies',
      run: () => requestAction('scan'),
    },
    {
      id: 'maintenance',
      title: 'Maintenance mode',
      group: 'Actions',
      keywords: 'close shop pause',
      run: () => go('system'),
    },
    {
      id: 'download-logs',
      title: O.downloadLogs,
      group: 'Actions',
      keywords: 'json',
      run: () => requestAction('logs'),
    },
    {
      id: 'shortcuts',
      title: 'Keyboard shortcuts',
      group: 'Actions',
      keywords: 'keys help',
      run: shortcuts,
    },
    { id: 'logout', title: 'Logout', group: 'Actions', keywords: 'log out leave', run: logout },
  ];
}

/** Returns the commands that contain every word of the query; all commands for an empty query. */
export function matchingCommands(commands: readonly Command[], query: string): Command[] {
  const keywords = query.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ title, detail = '', keywords: more = '' }) =>
    keywords.every((word) => `${title} ${detail} ${more}`.toLowerCase().includes(word)),
  );
}
