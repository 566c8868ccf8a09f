import { useId, type ReactNode } from 'react';
import { useModal } from './modal';

interface ConfirmDialogProps {
  title: string;
  open: boolean;
  /** What the button does, as a verb. */
  confirm: string;
  cancel?: string;
  /** Marks what cannot be taken back. */
  danger?: boolean;
  pending?: boolean;
  onConfirm: () => void;
  onCancel: () => void;
  children: ReactNode;
}

/** A question before something that matters. Focus starts on the way back, so that a stray Enter does no harm. */
export function ConfirmDialog({
  title,
  open,
  confirm,
  cancel = 'Cancel',
  danger = false,
  pending = false,
  onConfirm,
  onCancel,
  children,
}: ConfirmDialogProps) {
  const ref = useModal(open);
  const id = useId();
  return (
    <dialog
      ref={ref}
      className="sheet confirm"
      role="alertdialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      onClose={onCancel}
    >
      {open ? (
        <div className="sheet-body">
          <h2 id={`${id}-title`}>{title}</h2>
          <div className="confirm-text" id={`${id}-text`}>
            {children}
          </div>
          <div className="confirm-actions">
            <button type="button" className="btn sec" data-autofocus onClick={onCancel}>
              {cancel}
            </button>
            <button
              type="button"
              className={danger ? 'btn danger' : 'btn'}
              disabled={pending}
              onClick={onConfirm}
            >
              {confirm}
            </button>
          </div>
        </div>
      ) : null}
    </dialog>
  );
}
