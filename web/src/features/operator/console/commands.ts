/** Entries of the command menu beside search hits: the sections and the global actions. */
import { O } from '@/shared/strings-operator';
import type { Errand } from './console-atoms';
import { SECTIONS } from './sections';

export interface Command {
  id: string;
  title: string;
  group: 'Sections' | 'Actions' | 'Found';
  detail?: string;
  /** Additional search terms. */
  words?: string;
  run: () => void;
}

export interface CommandDoors {
  go: (section: string, more?: Readonly<Record<string, string>>) => void;
  /**
   * Opens the section and starts the action there. A link never starts an action: an attacker
   * could send one.
   */
  errand: (what: Errand) => void;
  logout: () => void;
  shortcuts: () => void;
}

export function fixedCommands({ go, errand, logout, shortcuts }: CommandDoors): Command[] {
  return [
    ...SECTIONS.map(({ key, title }): Command => ({
      id: `go-${key}`,
      title,
      group: 'Sections',
      run: () => go(key),
    })),
    {
      id: 'needs-action',
      title: 'Anomalies that need action',
      group: 'Actions',
      words: 'unresolved payments',
      run: () => go('payments', { status: 'unresolved' }),
    },
    {
      id: 'run-check',
      title: O.runCheck,
      group: 'Actions',
      words: 'payments anomalies reconcile',
      run: () => errand('check'),
    },
    {
      id: 'scan',
      title: O.scanHistory,
      group: 'Actions',
      words: 'payments anomalies',
      run: () => errand('scan'),
    },
    {
      id: 'maintenance',
      title: 'Maintenance mode',
      group: 'Actions',
      words: 'close shop pause',
      run: () => go('system'),
    },
    {
      id: 'download-logs',
      title: O.downloadLogs,
      group: 'Actions',
      words: 'json',
      run: () => errand('logs'),
    },
    {
      id: 'shortcuts',
      title: 'Keyboard shortcuts',
      group: 'Actions',
      words: 'keys help',
      run: shortcuts,
    },
    { id: 'logout', title: 'Logout', group: 'Actions', words: 'log out leave', run: logout },
  ];
}

/** Returns the commands that contain every word of the query; all commands for an empty query. */
export function matching(commands: readonly Command[], query: string): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return commands.filter(({ title, detail = '', words: more = '' }) =>
    words.every((word) => `${title} ${detail} ${more}`.toLowerCase().includes(word)),
  );
}
