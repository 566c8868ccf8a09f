import { useSetAtom } from 'jotai';
import { useRef, useState, type FormEvent } from 'react';
import { resolveMissing } from '@/api/endpoints/operator';
import { Problem } from '@/api/http';
import type { Anomaly } from '@/api/wire-operator';
import { O } from '@/shared/strings-operator';
import { Field } from '@/shared/ui/field';
import { ProblemList, errorOf } from '@/shared/ui/problem-list';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { Said } from '../pieces/pieces';
import { useDoing } from '../session/use-act';
import { customerProblems, type CustomerSaid } from './anomalies';

interface CustomerFormProps {
  anomaly: Anomaly;
  onResolved: () => void;
  /** The draw cannot take the ticket any more, and the money goes back instead (decision I-2): of this order, if it is known. */
  onRefund: (order: string | null) => void;
}

/** A missing ticket is resolved by allocating one to a customer with a name, a mail and a phone. */
export function CustomerForm({ anomaly, onResolved, onRefund }: CustomerFormProps) {
  const doing = useDoing();
  const toast = useSetAtom(showToastAtom);
  const [said, setSaid] = useState<CustomerSaid>({
    customerName: anomaly.customerName ?? '',
    customerEmail: anomaly.customerEmail ?? '',
    customerPhone: anomaly.customerPhone ?? '',
  });
  const [tried, setTried] = useState(false);
  const [refundable, setRefundable] = useState<{ order: string | null } | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const problems = tried ? customerProblems(said) : [];
  const field = (name: keyof CustomerSaid) => ({
    id: name,
    value: said[name],
    error: errorOf(problems, name),
    onValue: (value: string) => setSaid({ ...said, [name]: value }),
  });

  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (customerProblems(said).length > 0) {
      setTimeout(() => list.current?.focus());
      return;
    }
    if (doing.busy) return;
    const done = await doing.run(
      async () => {
        try {
          const { allocatedTickets, customerName } = await resolveMissing({
            paymentIntentId: anomaly.paymentIntentId ?? '',
            customerName: said.customerName.trim(),
            customerEmail: said.customerEmail.trim(),
            customerPhone: said.customerPhone.trim(),
          });
          const serials = allocatedTickets.map((ticket) => ticket.serialNumber).join(', ');
          toast({
            title: 'Ticket allocated',
            text: `${serials} ${allocatedTickets.length === 1 ? 'is' : 'are'} now ${customerName}’s.`,
          });
        } catch (error) {
          if (error instanceof Problem && error.status === 409 && error.said.refundable)
            setRefundable({
              order: (error.said.orderId as string | null | undefined) ?? anomaly.orderId,
            });
          throw error;
        }
      },
      { failed: O.resolveFailed },
    );
    if (done) onResolved();
  };

  return (
    <form
      onSubmit={(event) => void onSubmit(event)}
      noValidate
      aria-label="Allocate the missing ticket"
      className="ops-form"
    >
      <ProblemList ref={list} problems={problems} />
      <Field label="Customer name" autoComplete="off" {...field('customerName')} />
      <Field
        label="Customer e-mail"
        type="email"
        inputMode="email"
        autoComplete="off"
        {...field('customerEmail')}
      />
      <Field
        label="Customer phone"
        type="tel"
        inputMode="tel"
        autoComplete="off"
        placeholder="0400 000 000"
        {...field('customerPhone')}
      />
      <Said trouble={doing.trouble} />
      <div className="actions">
        <button type="submit" className="btn small" disabled={doing.busy}>
          Allocate ticket and resolve
        </button>
        {refundable ? (
          <button
            type="button"
            className="btn small sec"
            onClick={() => onRefund(refundable.order)}
          >
            Refund instead
          </button>
        ) : null}
      </div>
    </form>
  );
}
