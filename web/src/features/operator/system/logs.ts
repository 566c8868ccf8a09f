/** What 'Download Logs' saves: settings, clubs, active draws and the system's status, put together in the browser (C:88, decision I-7). */
import type { Draw } from '@/api/wire';
import type { AdminClub, SystemSetting } from '@/api/wire-operator';
import type { Health } from '@/api/wire-platform';

export interface LogParts {
  settings: readonly SystemSetting[];
  clubs: readonly AdminClub[];
  activeDraws: readonly Draw[];
  health: Health | null;
}

export function logsOf({ settings, clubs, activeDraws, health }: LogParts, now: Date) {
  return {
    timestamp: now.toISOString(),
    settings,
    clubs,
    activeDraws,
    // The three fixed words of the format, and what is true beside them.
    systemStatus: { database: 'Healthy', api: 'Operational', stripe: 'Connected' },
    health,
  };
}
