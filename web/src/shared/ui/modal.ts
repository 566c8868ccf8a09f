import { useEffect, useRef, type RefObject } from 'react';

/**
 * Shows a native modal dialog while `open`. It traps the focus, closes on Escape and restores the
 * focus.
 */
export function useModal(open: boolean): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    if (open && !dialog.open) {
      dialog.showModal();
      // Moves the focus explicitly, because React handles `autoFocus` itself and the browser would
      // focus the first control.
      dialog.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    }
    if (!open && dialog.open) dialog.close();
  }, [open]);
  return ref;
}
