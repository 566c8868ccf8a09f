import { useState, type FormEvent, type ReactNode } from 'react';
import { REASON_WANTED } from '@/shared/reason-required';
import { Dialog } from '@/shared/ui/dialog';
import { Field } from '@/shared/ui/field';
import type { ActionState } from '../session/use-action';
import { ErrorMessage } from './common';

interface ReasonDialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  /** Describes the effect before the operator confirms. */
  children: ReactNode;
  button: string;
  /** A draw number that the operator must type, to avoid changing the wrong draw. */
  typed?: number;
  doing: ActionState;
  onSure: (reason: string) => void;
}

/**
 * Confirms an irreversible action: describes the effect and requires a reason. Risky actions also
 * require the draw number.
 */
export function ReasonDialog({
  title,
  open,
  onClose,
  children,
  button,
  typed,
  doing,
  onSure,
}: ReasonDialogProps) {
  return (
    <Dialog title={title} open={open} onClose={onClose}>
      <ReasonForm {...{ children, button, typed, doing, onSure, onClose }} />
    </Dialog>
  );
}

function ReasonForm({
  children,
  button,
  typed,
  doing,
  onSure,
  onClose,
}: Omit<ReasonDialogProps, 'title' | 'open'>) {
  const [reason, setReason] = useState('');
  const [number, setNumber] = useState('');
  const [tried, setTried] = useState(false);
  const reasonProblem = reason.trim() ? null : REASON_WANTED;
  const numberProblem =
    typed === undefined || number.trim().replace(/^FD-/i, '') === String(typed)
      ? null
      : `Type the draw number ${typed} to go on.`;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (numberProblem) document.getElementById('typed-number')?.focus();
    else if (reasonProblem) document.getElementById('reason')?.focus();
    else if (!doing.busy) onSure(reason.trim());
  };
  return (
    <form onSubmit={onSubmit} noValidate>
      {children}
      {typed === undefined ? null : (
        <Field
          id="typed-number"
          label={`Draw number (type ${typed})`}
          value={number}
          inputMode="numeric"
          autoComplete="off"
          error={tried ? numberProblem : null}
          data-autofocus
          onValue={setNumber}
        />
      )}
      <Field
        id="reason"
        label="Reason"
        value={reason}
        autoComplete="off"
        maxLength={300}
        error={tried ? reasonProblem : null}
        onValue={setReason}
      />
      <ErrorMessage trouble={doing.trouble} />
      <div className="actions">
        <button type="submit" className="btn danger" disabled={doing.busy}>
          {button}
        </button>
        <button type="button" className="btn sec" onClick={onClose}>
          Keep as it is
        </button>
      </div>
    </form>
  );
}
