import { atom } from 'jotai';

export interface Toast {
  title: string;
  text?: string;
  bad?: boolean;
  /** Names the toast for `dismissToastAtom`. */
  key?: string;
  /** Milliseconds on screen, by default 5,000. */
  lasts?: number;
  /** Text that the user can select and copy. */
  copyable?: string;
  action?: { label: string; run: () => void };
}

export interface ShownToast extends Toast {
  id: number;
}

/** The toast on screen. A new toast replaces it (specification line A:308). */
export const toastAtom = atom<ShownToast | null>(null);

let lastToastId = 0;
export const showToastAtom = atom(null, (_get, set, toast: Toast) =>
  set(toastAtom, { ...toast, id: ++lastToastId }),
);

/** Removes the toast with this key, unless another toast has replaced it. */
export const dismissToastAtom = atom(null, (get, set, key: string) => {
  if (get(toastAtom)?.key === key) set(toastAtom, null);
});
