import { atom } from 'jotai';
import { readStored, writeStored } from '@/shared/storage';

const KEYS = 'operator-keys';
const SOUND = 'operator-sound';
const NARROW = 'operator-sidebar-narrow';

function remembered(key: string, unset: boolean) {
  const base = atom<boolean | null>(null);
  return atom(
    (get) => get(base) ?? (readStored('local', key) as boolean | null) ?? unset,
    (_get, set, on: boolean) => {
      writeStored('local', key, on);
      set(base, on);
    },
  );
}

/** Whether single letters act (WCAG 2.1.4). */
export const keysOnAtom = remembered(KEYS, true);
/** A short tone for a new anomaly; off until asked for. */
export const soundOnAtom = remembered(SOUND, false);
export const sidebarNarrowAtom = remembered(NARROW, false);

export const drawerOpenAtom = atom(false);
export const commandsOpenAtom = atom(false);
export const shortcutsOpenAtom = atom(false);

/** Something the command menu asked a section to do once it is there. */
export type Errand = 'check' | 'scan' | 'logs';
export const errandAtom = atom<Errand | null>(null);
