import { useSetAtom } from 'jotai';
import { useRef, useState, type FormEvent, type ReactNode } from 'react';
import { allocateMissingTicket } from '@/api/endpoints/operator';
import { HttpError } from '@/api/http';
import type { Anomaly, PaidTickets } from '@/api/wire-operator';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { Field } from '@/shared/ui/field';
import { ProblemList, fieldErrorOf } from '@/shared/ui/problem-list';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { ErrorMessage } from '../components/common';
import { useQuery } from '../queries/use-query';
import { useActionWithFeedback } from '../session/use-action';
import { AnomalyChoice, AnomalyStep } from './anomaly-step';
import {
  allocationObstacle,
  customerInputProblems,
  parseDrawNumber,
  refundableAmountText,
  ticketLinesText,
  ticketLinesToAllocate,
  ticketsInputProblems,
} from './anomalies';
import type { CustomerInput, TicketsInput } from './anomalies';
import { PaymentPurpose } from './payment-purpose';

interface MissingTicketFormProps {
  anomaly: Anomaly;
  /** Tickets of the payment; null until they are known. */
  paid: PaidTickets | null;
  onResolved: () => void;
  /**
   * Opens the refund when the draw cannot take the ticket any more (decision I-2). Receives the
   * order id, if known.
   */
  onRefund: (order: string | null) => void;
  /** The step 'What happened'. */
  happened: ReactNode;
  /** The choices beside the allocation. */
  choices: ReactNode;
}

/**
 * The steps of a missing ticket: what the payment is for, who it is for, and what to do. Allocates
 * the paid tickets to a customer with name, e-mail and phone.
 */
export function MissingTicketForm({
  anomaly,
  paid,
  onResolved,
  onRefund,
  happened,
  choices,
}: MissingTicketFormProps) {
  const action = useActionWithFeedback();
  const toast = useSetAtom(showToastAtom);
  const draws = useQuery('draws').data ?? [];
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
  const lines = ticketLinesToAllocate(chosen, paid);
  const obstacle = allocationObstacle(anomaly, lines, draws);
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
  const tickets = lines ? ticketLinesText(lines) : 'The tickets';
  const customerText = customer.customerName.trim() || 'the customer';

  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    setSubmitted(true);
    if (allProblems().length > 0) {
      setTimeout(() => list.current?.focus());
      return;
    }
    if (action.busy || obstacle) return;
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
    >
      <ProblemList ref={list} problems={problems} />
      <ol className="ops-steps">
        {happened}
        <AnomalyStep title="What the payment is for" open={!lines}>
          {hasOrder ? null : <UnknownOrderText paid={paid} />}
          {lines ? <PaymentPurpose anomaly={anomaly} lines={lines} draws={draws} /> : null}
          {hasOrder ? null : (
            <OtherTickets isOpen={!paid?.lines.length}>
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
            </OtherTickets>
          )}
        </AnomalyStep>
        <AnomalyStep title="Who it is for" open={customerInputProblems(customer).length > 0}>
          <div className="ops-step-fields">
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
          </div>
        </AnomalyStep>
        <AnomalyStep title="Choose what to do" open>
          <ErrorMessage message={action.error} />
          <ul className="ops-choices">
            <AnomalyChoice
              title={lines ? `Allocate ${tickets}` : 'Allocate tickets'}
              effect={`${tickets} go to ${customerText} by e-mail. No money moves.`}
              obstacle={obstacle}
            >
              <button type="submit" className="btn small" disabled={action.busy}>
                Allocate ticket and resolve
              </button>
            </AnomalyChoice>
            {refundable ? (
              <AnomalyChoice
                title="Refund instead"
                effect={`${refundableAmountText(anomaly)} goes back, and no ticket is given.`}
              >
                <button
                  type="button"
                  className="btn small"
                  onClick={() => onRefund(refundable.order)}
                >
                  Refund instead
                </button>
              </AnomalyChoice>
            ) : null}
            {choices}
          </ul>
        </AnomalyStep>
      </ol>
    </form>
  );
}

/** The fields for a draw and a count. Folded while the payment itself names its tickets. */
const OtherTickets = ({ isOpen, children }: { isOpen: boolean; children: ReactNode }) =>
  isOpen ? (
    <div className="ops-step-fields">{children}</div>
  ) : (
    <details>
      <summary>Choose another draw or count</summary>
      <div className="ops-step-fields">{children}</div>
    </details>
  );

/** Says that no order matches the payment, and what can be done. */
const UnknownOrderText = ({ paid }: { paid: PaidTickets | null }) => (
  <p className="callout" role="status">
    <strong>No order of ours matches this payment.</strong>
    {paid?.lines.length
      ? `It was made for ${ticketLinesText(paid.lines)}: leave draw and tickets empty to allocate these, or choose others.`
      : 'Refund it, or choose the draw and the number of tickets to allocate.'}
  </p>
);
