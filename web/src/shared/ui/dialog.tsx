import { useId, type ReactNode } from 'react';
import { CloseIcon } from './icons';
import { useModal } from './modal';

interface DialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  /** Place of the dialog: a sheet in the middle, or a drawer at the right. */
  kind?: 'sheet' | 'drawer';
  children: ReactNode;
}

/** A modal dialog with a title and a close button. */
export function Dialog({ title, open, onClose, kind = 'sheet', children }: DialogProps) {
  const ref = useModal(open);
  const id = useId();
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
          <div className="sheet-body">{children}</div>
        </>
      ) : null}
    </dialog>
  );
}
