import { useSetAtom } from 'jotai';
import { useRef, useState, type FormEvent } from 'react';
import { recoverTicket } from '@/api/endpoints/operator';
import { HttpError } from '@/api/http';
import type { OrphanedTicket } from '@/api/wire-operator';
import { splitTitle } from '@/shared/split-title';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { Dialog } from '@/shared/ui/dialog';
import { Field } from '@/shared/ui/field';
import { ProblemList } from '@/shared/ui/problem-list';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { AuditTrail } from '../audit/audit-trail';
import { useRefetchQueries, useSetQueryData } from '../queries/use-query';
import { ErrorMessage } from '../components/common';
import { useActionWithFeedback } from '../session/use-action';

const { title: MISSING_TITLE, text: MISSING_TEXT } = splitTitle(O.missingInformation);

/**
 * Assigns a buyer to an orphaned ticket, which is paid but has no buyer. Name and e-mail are
 * required, the phone is optional; the buyer receives an e-mail (specification lines C:228-230,
 * C:270).
 */
export function RecoverTicketDialog({
  ticket,
  onClose,
}: {
  ticket: OrphanedTicket;
  onClose: () => void;
}) {
  return (
    <Dialog title={`Recover ${ticket.serialNumber}`} open onClose={onClose}>
      <RecoverTicketForm ticket={ticket} onClose={onClose} />
    </Dialog>
  );
}

function useRecoverTicket(ticket: OrphanedTicket, onClose: () => void) {
  const action = useActionWithFeedback();
  const toast = useSetAtom(showToastAtom);
  const setQueryData = useSetQueryData();
  const refetchQueries = useRefetchQueries();
  const [approvalWanted, setApprovalWanted] = useState(false);
  const recover = async (recovery: Parameters<typeof recoverTicket>[1]) => {
    const done = await action.run(
      async () => {
        try {
          const { recovered, notified } = await recoverTicket(ticket.id, recovery);
          toast({
            title: 'Ticket recovered',
            text: `${recovered > 1 ? `${recovered} tickets of this order are` : `${ticket.serialNumber} is`} now ${recovery.name}’s.${notified ? ' A mail is on its way.' : ''}`,
          });
        } catch (error) {
          if (error instanceof HttpError && error.code === 'second-approval-required')
            setApprovalWanted(true);
          throw error;
        }
      },
      { failed: O.recoveryFailed },
    );
    if (!done) return;
    setQueryData('orphans', (list) =>
      list?.filter((other) =>
        ticket.orderId ? other.orderId !== ticket.orderId : other.id !== ticket.id,
      ),
    );
    void refetchQueries('orphans', 'stats').catch(() => {});
    onClose();
  };
  return { ...action, recover, approvalWanted };
}

function RecoverTicketForm({ ticket, onClose }: { ticket: OrphanedTicket; onClose: () => void }) {
  const toast = useSetAtom(showToastAtom);
  const { busy, error, recover, approvalWanted } = useRecoverTicket(ticket, onClose);
  const [input, setInput] = useState({ name: '', email: '', phone: '', other: '', code: '' });
  const [submitted, setSubmitted] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const missing = submitted
    ? (['name', 'email'] as const).filter((field) => !input[field].trim())
    : [];
  const field = (name: keyof typeof input) => ({
    id: `recover-${name}`,
    value: input[name],
    error: (missing as string[]).includes(name) ? MISSING_TEXT : null,
    onValue: (value: string) => setInput({ ...input, [name]: value }),
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (!input.name.trim() || !input.email.trim()) {
      toast({ bad: true, title: MISSING_TITLE, text: MISSING_TEXT });
      setTimeout(() => list.current?.focus());
      return;
    }
    if (busy) return;
    const phone = input.phone.trim();
    void recover({
      name: input.name.trim(),
      email: input.email.trim(),
      ...(phone ? { phone } : {}),
      ...(approvalWanted
        ? { secondApproval: { email: input.other.trim(), code: input.code.replace(/\D/g, '') } }
        : {}),
    });
  };
  return (
    <form onSubmit={onSubmit} noValidate>
      <p>
        {ticket.homeTeam} v {ticket.awayTeam}. Whoever is named here becomes the owner of every
        ticket of this order.
      </p>
      <ProblemList
        ref={list}
        problems={
          missing.length > 0 ? [{ field: `recover-${missing[0]}`, text: MISSING_TEXT }] : []
        }
      />
      <Field label="Name" autoComplete="off" data-autofocus {...field('name')} />
      <Field label="E-mail" type="email" inputMode="email" autoComplete="off" {...field('email')} />
      <Field
        label="Phone (optional)"
        type="tel"
        inputMode="tel"
        autoComplete="off"
        {...field('phone')}
      />
      {approvalWanted ? (
        <fieldset className="ops-second">
          <legend>A second operator has to agree: this ticket has won.</legend>
          <Field
            label="Their e-mail"
            type="email"
            inputMode="email"
            autoComplete="off"
            {...field('other')}
          />
          <Field
            label="The code of their authenticator app"
            inputMode="numeric"
            autoComplete="off"
            {...field('code')}
          />
        </fieldset>
      ) : null}
      <ErrorMessage message={error} />
      <div className="actions">
        <button type="submit" className="btn" disabled={busy}>
          Recover ticket
        </button>
        <button type="button" className="btn sec" onClick={onClose}>
          Cancel
        </button>
      </div>
      <AuditTrail
        objects={`ticket:${ticket.id}${ticket.orderId ? `,order:${ticket.orderId}` : ''}`}
      />
    </form>
  );
}
