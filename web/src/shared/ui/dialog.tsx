import { useEffect, useId, useRef, type ReactNode } from 'react';
import { CloseIcon } from './icons';

interface DialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  /** A sheet in the middle, or a drawer from the right. */
  kind?: 'sheet' | 'drawer';
  children: ReactNode;
}

/** The browser's own modal dialog: it keeps focus inside, closes on Escape and gives focus back. */
export function Dialog({ title, open, onClose, kind = 'sheet', children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const dialog = ref.current;
    if (!dialog) return;
    if (open && !dialog.open) {
      dialog.showModal();
      // React keeps `autoFocus` to itself, so the browser would choose the first control: the one that closes.
      dialog.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    }
    if (!open && dialog.open) dialog.close();
  }, [open]);
  return (
    <dialog
      ref={ref}
      className={kind}
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === ref.current) onClose();
      }}
    >
      {open ? (
        <>
          <div className="sheet-head">
            <h2 id={id}>{title}</h2>
            <button type="button" className="icon-btn" aria-label="Close" onClick={onClose}>
              <CloseIcon />
            </button>
          </div>
          {/* Focusable, so that a long text can be scrolled with the keyboard. */}
          <div className="sheet-body">{children}</div>
        </>
      ) : null}
    </dialog>
  );
}
