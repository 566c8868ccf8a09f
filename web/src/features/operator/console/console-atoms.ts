import { atom } from 'jotai';
import { readStored, writeStored } from '@/shared/storage';

const SHORTCUTS_STORAGE_KEY = 'operator-keys';
const SOUND_STORAGE_KEY = 'operator-sound';
const NARROW_SIDEBAR_STORAGE_KEY = 'operator-sidebar-narrow';

function storedToggleAtom(key: string, unset: boolean) {
  const base = atom<boolean | null>(null);
  return atom(
    (get) => get(base) ?? (readStored('local', key) as boolean | null) ?? unset,
    (_get, set, on: boolean) => {
      writeStored('local', key, on);
      set(base, on);
    },
  );
}

/** Whether single-letter shortcuts are enabled (WCAG 2.1.4). */
export const shortcutsEnabledAtom = storedToggleAtom(SHORTCUTS_STORAGE_KEY, true);
/** Whether a new anomaly plays a short tone; off by default. */
export const soundEnabledAtom = storedToggleAtom(SOUND_STORAGE_KEY, false);
export const sidebarNarrowAtom = storedToggleAtom(NARROW_SIDEBAR_STORAGE_KEY, false);

export const sidebarDrawerOpenAtom = atom(false);
export const commandMenuOpenAtom = atom(false);
export const shortcutsDialogOpenAtom = atom(false);

/** An action that the command menu can start in a section of the console. */
export type ConsoleAction = 'check' | 'scan' | 'logs';
export const requestedActionAtom = atom<ConsoleAction | null>(null);
