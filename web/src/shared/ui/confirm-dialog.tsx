import { useId, type ReactNode } from 'react';
import { useModal } from './modal';

interface ConfirmDialogProps {
  title: string;
  open: boolean;
  /** Label of the confirm button, as a verb. */
  confirm: string;
  cancel?: string;
  /** Whether the action cannot be undone. */
  danger?: boolean;
  pending?: boolean;
  onConfirm: () => void;
  onCancel: () => void;
  children: ReactNode;
}

/**
 * Asks for confirmation. The focus starts on the cancel button, so that an accidental Enter does no
 * harm.
 */
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
