/**
 * Builds the file of 'Download Logs' in the browser: settings, clubs, active draws and system
 * status (specification line C:88, decision I-7).
 */
import type { Draw } from '@/api/wire';
import type { AdminClub, SystemSetting } from '@/api/wire-operator';
import type { Health } from '@/api/wire-platform';

export interface LogFileSources {
  settings: readonly SystemSetting[];
  clubs: readonly AdminClub[];
  activeDraws: readonly Draw[];
  health: Health | null;
}

export function logFileContent(
  { settings, clubs, activeDraws, health }: LogFileSources,
  now: Date,
) {
  return {
    timestamp: now.toISOString(),
    settings,
    clubs,
    activeDraws,
    // The specified format requires these three fixed texts; the real status follows beside them.
    systemStatus: { database: 'Healthy', api: 'Operational', stripe: 'Connected' },
    health,
  };
}
