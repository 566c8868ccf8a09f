import { atom } from 'jotai';

export interface Toast {
  title: string;
  text?: string;
  bad?: boolean;
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
