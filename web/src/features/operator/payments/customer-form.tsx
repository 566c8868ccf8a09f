import { useSetAtom } from 'jotai';
import { useRef, useState, type FormEvent } from 'react';
import { allocateMissingTicket } from '@/api/endpoints/operator';
import { HttpError } from '@/api/http';
import type { Anomaly, PaidTickets } from '@/api/wire-operator';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { Field } from '@/shared/ui/field';
import { ProblemList, fieldErrorOf } from '@/shared/ui/problem-list';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { ErrorMessage } from '../components/common';
import { useActionWithFeedback } from '../session/use-action';
import {
  refundableAmountText,
  ticketsInputProblems,
  customerInputProblems,
  parseDrawNumber,
  ticketLinesText,
} from './anomalies';
import type { CustomerInput, TicketsInput } from './anomalies';

interface CustomerFormProps {
  anomaly: Anomaly;
  /** Tickets of the payment; null until they are known. */
  paid: PaidTickets | null;
  onResolved: () => void;
  /**
   * Opens the refund when the draw cannot take the ticket any more (decision I-2). Receives the
   * order id, if known.
   */
  onRefund: (order: string | null) => void;
}

/**
 * Form that resolves a missing ticket: allocates the paid tickets to a customer with name, e-mail
 * and phone.
 */
export function CustomerForm({ anomaly, paid, onResolved, onRefund }: CustomerFormProps) {
  const action = useActionWithFeedback();
  const toast = useSetAtom(showToastAtom);
  const [customer, setCustomer] = useState<CustomerInput>({
    customerName: anomaly.customerName ?? '',
    customerEmail: anomaly.customerEmail ?? '',
    customerPhone: anomaly.customerPhone ?? '',
  });
  const [chosen, setChosen] = useState<TicketsInput>({ drawNumber: '', ticketCount: '' });
  const hasOrder = anomaly.orderId !== null;
  const [submitted, setSubmitted] = useState(false);
  const [refundable, setRefundable] = useState<{ order: string | null } | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const allProblems = () => [
    ...(hasOrder ? [] : ticketsInputProblems(chosen, paid?.lines.length === 0)),
    ...customerInputProblems(customer),
  ];
  const problems = submitted ? allProblems() : [];
  const choice = (name: keyof TicketsInput) => ({
    id: name,
    value: chosen[name],
    error: fieldErrorOf(problems, name),
    onValue: (value: string) => setChosen({ ...chosen, [name]: value }),
  });
  const field = (name: keyof CustomerInput) => ({
    id: name,
    value: customer[name],
    error: fieldErrorOf(problems, name),
    onValue: (value: string) => setCustomer({ ...customer, [name]: value }),
  });

  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (allProblems().length > 0) {
      setTimeout(() => list.current?.focus());
      return;
    }
    if (action.busy) return;
    const done = await action.run(
      async () => {
        try {
          const { allocatedTickets, customerName } = await allocateMissingTicket({
            paymentIntentId: anomaly.paymentIntentId ?? '',
            customerName: customer.customerName.trim(),
            customerEmail: customer.customerEmail.trim(),
            customerPhone: customer.customerPhone.trim(),
            ...(chosen.drawNumber.trim()
              ? {
                  drawNumber: parseDrawNumber(chosen.drawNumber),
                  ticketCount: Number(chosen.ticketCount),
                }
              : {}),
          });
          const serials = allocatedTickets.map((ticket) => ticket.serialNumber).join(', ');
          toast({
            title: 'Ticket allocated',
            text: `${serials} ${allocatedTickets.length === 1 ? 'is' : 'are'} now ${customerName}’s.`,
          });
        } catch (error) {
          if (error instanceof HttpError && error.status === 409 && error.body.refundable)
            setRefundable({
              order: (error.body.orderId as string | null | undefined) ?? anomaly.orderId,
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
      <PaidTicketsText anomaly={anomaly} paid={paid} />
      {hasOrder ? null : (
        <>
          <Field
            label="Draw number"
            inputMode="numeric"
            autoComplete="off"
            placeholder="1042"
            {...choice('drawNumber')}
          />
          <Field
            label="Tickets"
            inputMode="numeric"
            autoComplete="off"
            hint={`${refundableAmountText(anomaly)} must be the price of these tickets, with at most the card fee on top.`}
            {...choice('ticketCount')}
          />
        </>
      )}
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
      <ErrorMessage message={action.error} />
      <div className="actions">
        <button type="submit" className="btn small" disabled={action.busy}>
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

/** Shows the tickets that would be allocated, or that they are unknown. */
function PaidTicketsText({ anomaly, paid }: Pick<CustomerFormProps, 'anomaly' | 'paid'>) {
  const named = paid?.lines.length ? ticketLinesText(paid.lines) : null;
  if (anomaly.orderId !== null) return named ? <p className="meta">Allocates {named}.</p> : null;
  return (
    <p className="callout" role="status">
      <strong>No order of ours matches this payment.</strong>
      {named
        ? `It was made for ${named}: leave draw and tickets empty to allocate these, or choose others.`
        : 'Refund it, or choose the draw and the number of tickets to allocate.'}
    </p>
  );
}
