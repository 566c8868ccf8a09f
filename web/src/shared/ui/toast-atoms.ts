import { atom } from 'jotai';

export interface Toast {
  title: string;
  text?: string;
  bad?: boolean;
  /** Milliseconds on screen; 5,000 unless said. */
  lasts?: number;
  /** Something to select and copy by hand. */
  copyable?: string;
  action?: { label: string; run: () => void };
}

export interface ShownToast extends Toast {
  id: number;
}

/** One toast at a time: a new one takes the place of the old (A:308). */
export const toastAtom = atom<ShownToast | null>(null);

let lastId = 0;
export const showToastAtom = atom(null, (_get, set, toast: Toast) =>
  set(toastAtom, { ...toast, id: ++lastId }),
);
