import { atom } from 'jotai';

export const openDialogsAtom = atom<readonly HTMLDialogElement[]>([]);

/**
 * The dialog that was opened last and is still open. Everything outside of it is inert, so toasts
 * are shown inside.
 */
export const topDialogAtom = atom((get) => get(openDialogsAtom).at(-1) ?? null);
