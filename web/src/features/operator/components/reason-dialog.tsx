import { useState, type FormEvent, type ReactNode } from 'react';
import { REASON_REQUIRED_TEXT } from '@/shared/reason-required';
import { Dialog } from '@/shared/ui/dialog';
import { Field } from '@/shared/ui/field';
import type { ActionState } from '../session/use-action';
import { ErrorMessage } from './common';

interface ReasonDialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  /** Description of the action's effect, shown before the operator confirms. */
  children: ReactNode;
  button: string;
  /** A draw number that the operator must type, so that no wrong draw is changed. */
  drawNumberToType?: number;
  action: ActionState;
  onConfirm: (reason: string) => void;
}

/**
 * Asks the operator to confirm an action: describes the effect and requires a reason. Risky actions
 * also require the draw number.
 */
export function ReasonDialog({
  title,
  open,
  onClose,
  children,
  button,
  drawNumberToType,
  action,
  onConfirm,
}: ReasonDialogProps) {
  return (
    <Dialog title={title} open={open} onClose={onClose}>
      <ReasonForm {...{ children, button, drawNumberToType, action, onConfirm, onClose }} />
    </Dialog>
  );
}

function ReasonForm({
  children,
  button,
  drawNumberToType,
  action,
  onConfirm,
  onClose,
}: Omit<ReasonDialogProps, 'title' | 'open'>) {
  const [reason, setReason] = useState('');
  const [typedNumber, setTypedNumber] = useState('');
  const [submitted, setSubmitted] = useState(false);
  const reasonProblem = reason.trim() ? null : REASON_REQUIRED_TEXT;
  const numberProblem =
    drawNumberToType === undefined ||
    typedNumber.trim().replace(/^FD-/i, '') === String(drawNumberToType)
      ? null
      : `Type the draw number ${drawNumberToType} to go on.`;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (numberProblem) document.getElementById('typed-number')?.focus();
    else if (reasonProblem) document.getElementById('reason')?.focus();
    else if (!action.busy) onConfirm(reason.trim());
  };
  return (
    <form onSubmit={onSubmit} noValidate>
      {children}
      {drawNumberToType === undefined ? null : (
        <Field
          id="typed-number"
          label={`Draw number (type ${drawNumberToType})`}
          value={typedNumber}
          inputMode="numeric"
          autoComplete="off"
          error={submitted ? numberProblem : null}
          data-autofocus
          onValue={setTypedNumber}
        />
      )}
      <Field
        id="reason"
        label="Reason"
        value={reason}
        autoComplete="off"
        maxLength={300}
        error={submitted ? reasonProblem : null}
        onValue={setReason}
      />
      <ErrorMessage message={action.error} />
      <div className="actions">
        <button type="submit" className="btn danger" disabled={action.busy}>
          {button}
        </button>
        <button type="button" className="btn sec" onClick={onClose}>
          Keep as it is
        </button>
      </div>
    </form>
  );
}
