import { useState, type FormEvent, type ReactNode } from 'react';
import { REASON_WANTED } from '@/shared/reason';
import { Dialog } from '@/shared/ui/dialog';
import { Field } from '@/shared/ui/field';
import type { Doing } from '../session/use-act';
import { Said } from './pieces';

interface ReasonDialogProps {
  title: string;
  open: boolean;
  onClose: () => void;
  /** What it will do, before it is done. */
  children: ReactNode;
  button: string;
  /** A draw number that has to be typed, so that nobody does it to the wrong one. */
  typed?: number;
  doing: Doing;
  onSure: (reason: string) => void;
}

/** For what cannot be taken back: says what will happen, wants a reason, and where a slip would hurt, the number typed. */
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
      <Said trouble={doing.trouble} />
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
