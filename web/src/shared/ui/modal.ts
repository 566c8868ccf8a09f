import { useSetAtom } from 'jotai';
import { useEffect, useRef, type RefObject } from 'react';
import { openDialogsAtom } from './dialog-atoms';

/**
 * Shows a native modal dialog while `open`. It traps the focus, closes on Escape and restores the
 * focus.
 */
export function useModal(open: boolean): RefObject<HTMLDialogElement | null> {
  const ref = useRef<HTMLDialogElement>(null);
  const setOpenDialogs = useSetAtom(openDialogsAtom);
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
    if (!open) return;
    setOpenDialogs((dialogs) => [...dialogs, dialog]);
    return () => setOpenDialogs((dialogs) => dialogs.filter((one) => one !== dialog));
  }, [open, setOpenDialogs]);
  return ref;
}
