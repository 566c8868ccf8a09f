import { useSetAtom } from 'jotai';
import { useRef, useState, type FormEvent } from 'react';
import { recoverTicket } from '@/api/endpoints/operator';
import { HttpError } from '@/api/http';
import type { OrphanedTicket } from '@/api/wire-operator';
import { O, titled } from '@/shared/strings-operator';
import { Dialog } from '@/shared/ui/dialog';
import { Field } from '@/shared/ui/field';
import { ProblemList } from '@/shared/ui/problem-list';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { AuditTrail } from '../audit/audit-trail';
import { useRefetchQueries, useSetQueryData } from '../queries/use-query';
import { ErrorMessage } from '../components/common';
import { useAction } from '../session/use-action';

const { title: MISSING_TITLE, text: MISSING_TEXT } = titled(O.missingInformation);

/**
 * Assigns a buyer to an orphaned ticket. Name and e-mail are required, the phone is optional; the
 * buyer receives an e-mail (specification lines C:232, C:275).
 */
export function RecoverDialog({
  ticket,
  onClose,
}: {
  ticket: OrphanedTicket;
  onClose: () => void;
}) {
  return (
    <Dialog title={`Recover ${ticket.serialNumber}`} open onClose={onClose}>
      <RecoverForm ticket={ticket} onClose={onClose} />
    </Dialog>
  );
}

function useRecovering(ticket: OrphanedTicket, onClose: () => void) {
  const doing = useAction();
  const toast = useSetAtom(showToastAtom);
  const learn = useSetQueryData();
  const again = useRefetchQueries();
  const [approvalWanted, setApprovalWanted] = useState(false);
  const recover = async (said: Parameters<typeof recoverTicket>[1]) => {
    const done = await doing.run(
      async () => {
        try {
          const { recovered, notified } = await recoverTicket(ticket.id, said);
          toast({
            title: 'Ticket recovered',
            text: `${recovered > 1 ? `${recovered} tickets of this order are` : `${ticket.serialNumber} is`} now ${said.name}’s.${notified ? ' A mail is on its way.' : ''}`,
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
    learn('orphans', (list) =>
      list?.filter((other) =>
        ticket.orderId ? other.orderId !== ticket.orderId : other.id !== ticket.id,
      ),
    );
    void again('orphans', 'stats').catch(() => {});
    onClose();
  };
  return { ...doing, recover, approvalWanted };
}

function RecoverForm({ ticket, onClose }: { ticket: OrphanedTicket; onClose: () => void }) {
  const toast = useSetAtom(showToastAtom);
  const { busy, error, recover, approvalWanted } = useRecovering(ticket, onClose);
  const [said, setSaid] = useState({ name: '', email: '', phone: '', other: '', code: '' });
  const [tried, setTried] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const missing = tried ? (['name', 'email'] as const).filter((field) => !said[field].trim()) : [];
  const field = (name: keyof typeof said) => ({
    id: `recover-${name}`,
    value: said[name],
    error: (missing as string[]).includes(name) ? MISSING_TEXT : null,
    onValue: (value: string) => setSaid({ ...said, [name]: value }),
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (!said.name.trim() || !said.email.trim()) {
      toast({ bad: true, title: MISSING_TITLE, text: MISSING_TEXT });
      setTimeout(() => list.current?.focus());
      return;
    }
    if (busy) return;
    const phone = said.phone.trim();
    void recover({
      name: said.name.trim(),
      email: said.email.trim(),
      ...(phone ? { phone } : {}),
      ...(approvalWanted
        ? { secondApproval: { email: said.other.trim(), code: said.code.replace(/\D/g, '') } }
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
