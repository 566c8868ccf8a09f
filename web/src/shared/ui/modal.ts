import { useEffect, useRef, type RefObject } from 'react';

/** The browser's own modal dialog, shown while `open`: it keeps focus inside, closes on Escape and gives focus back. */
export function useModal(open: boolean): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    if (open && !dialog.open) {
      dialog.showModal();
      // React keeps `autoFocus` to itself; without a word the browser would choose the first control.
      dialog.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    }
    if (!open && dialog.open) dialog.close();
  }, [open]);
  return ref;
}
