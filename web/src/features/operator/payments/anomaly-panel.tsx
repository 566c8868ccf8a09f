import { useState } from 'react';
import type { Anomaly } from '@/api/wire-operator';
import { dayAndTime } from '@/shared/dates';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { AuditTrail } from '../audit/audit-trail';
import { amountText } from '../components/money';
import { CopyableId, FactList, ErrorMessage, Tag } from '../components/common';
import { BusyButton } from '../components/busy-button';
import { SidePanel } from '../components/side-panel';
import { useQuery } from '../queries/use-query';
import { RefundDialog } from '../transactions/refund-dialog';
import { AnomalyRefundDialog } from './anomaly-refund';
import { AnomalyChoice, AnomalyStep } from './anomaly-step';
import {
  anomalyLabelOf,
  anomalyDescriptionOf,
  canRefundPayment,
  holdsCustomersMoney,
  needsCustomerDetails,
  refundableAmountText,
  refundObstacle,
  resolverOf,
} from './anomalies';
import { CloseAnomalyDialog } from './close-anomaly';
import { MissingTicketForm } from './missing-ticket-form';
import { PaymentPurpose } from './payment-purpose';
import { usePaidTickets } from './use-paid-tickets';
import type { AnomalyResolution } from './use-anomaly-resolution';

interface AnomalyPanelProps {
  anomaly: Anomaly;
  resolving: AnomalyResolution;
  onClose: () => void;
  onMark: () => void;
  onResolved: () => void;
}

export const ResolvedTag = ({ resolved }: { resolved: boolean }) =>
  resolved ? <Tag kind="ok">{O.resolved}</Tag> : <Tag kind="warn">{O.needsAction}</Tag>;

/** One anomaly in steps: what happened, what the payment is for, who it is for, what to do. */
export function AnomalyPanel({
  anomaly,
  resolving,
  onClose,
  onMark,
  onResolved,
}: AnomalyPanelProps) {
  const [refunding, setRefunding] = useState<{ order: string | null } | null>(null);
  const [closing, setClosing] = useState(false);
  const [turn, setTurn] = useState(0);
  const paid = usePaidTickets(anomaly);
  const refund = (order: string | null) =>
    setRefunding({ order: canRefundPayment(anomaly) ? null : order });
  const objects = [
    `anomaly:${anomaly.id}`,
    ...(anomaly.orderId ? [`order:${anomaly.orderId}`] : []),
  ].join(',');
  const happened = <WhatHappened anomaly={anomaly} />;
  const choices = (
    <>
      <AnomalyChoice
        title={`Refund ${refundableAmountText(anomaly)}`}
        effect={`${refundableAmountText(anomaly)} goes back to the card. You give a reason first.`}
        obstacle={refundObstacle(anomaly)}
      >
        <button type="button" className="btn small sec" onClick={() => refund(anomaly.orderId)}>
          Refund payment
        </button>
      </AnomalyChoice>
      <AnomalyChoice
        title="Close without acting"
        effect="Nothing is charged, refunded or allocated. Your reason stays in the audit log."
      >
        <button type="button" className="btn small sec" onClick={() => setClosing(true)}>
          Close with a reason
        </button>
      </AnomalyChoice>
    </>
  );
  return (
    <SidePanel title={anomalyLabelOf(anomaly.type)} itemKey={anomaly.id} onClose={onClose}>
      <p className="ops-cause">
        <ResolvedTag resolved={anomaly.resolved} /> {anomalyDescriptionOf(anomaly.type)}
      </p>
      {!anomaly.resolved && needsCustomerDetails(anomaly) ? (
        <MissingTicketForm
          key={anomaly.id}
          anomaly={anomaly}
          paid={paid}
          onResolved={onResolved}
          onRefund={refund}
          happened={happened}
          choices={choices}
        />
      ) : (
        <ol className="ops-steps">
          {happened}
          <WhatItIsFor anomaly={anomaly} />
          {anomaly.resolved ? null : (
            <AnomalyStep title="Choose what to do" open>
              <ErrorMessage message={resolving.error} />
              <ul className="ops-choices">
                {holdsCustomersMoney(anomaly) ? null : (
                  <AnomalyChoice
                    title="It is dealt with"
                    effect="The anomaly is closed under your name. No money moves and no ticket changes."
                  >
                    <BusyButton className="btn small" busy={resolving.busy} onPress={onMark}>
                      {O.markResolved}
                    </BusyButton>
                  </AnomalyChoice>
                )}
                {choices}
              </ul>
            </AnomalyStep>
          )}
        </ol>
      )}
      <details className="ops-json">
        <summary>Technical details</summary>
        <pre tabIndex={0}>{JSON.stringify(anomaly.details ?? {}, null, 2)}</pre>
      </details>
      <AuditTrail objects={objects} turn={turn + Number(anomaly.resolved)} />
      <AnomalyRefundDialog
        anomaly={anomaly}
        open={refunding !== null && refunding.order === null}
        onClose={() => setRefunding(null)}
        onResolved={onResolved}
      />
      <CloseAnomalyDialog
        anomaly={anomaly}
        open={closing}
        onClose={() => setClosing(false)}
        onResolved={onResolved}
      />
      <RefundDialog
        order={refunding?.order ?? null}
        onClose={() => setRefunding(null)}
        onDone={() => setTurn(turn + 1)}
      />
    </SidePanel>
  );
}

function WhatHappened({ anomaly }: { anomaly: Anomaly }) {
  const note = typeof anomaly.details?.note === 'string' ? anomaly.details.note : null;
  return (
    <AnomalyStep title="What happened">
      {note ? <p className="ops-first-upper">{note}</p> : null}
      <p>
        <strong>{amountText(anomaly.amount)}</strong> from{' '}
        {anomaly.customerName ?? anomaly.customerEmail ?? O.guest}, found{' '}
        {dayAndTime(anomaly.detectedAt)}.
      </p>
      <p className="ops-payment-id">
        <CopyableId id={anomaly.paymentIntentId} full />
        {anomaly.stripeUrl ? (
          <a href={anomaly.stripeUrl} target="_blank" rel="noreferrer">
            Open in the Stripe dashboard
          </a>
        ) : null}
      </p>
      {anomaly.resolved ? (
        <p>
          <strong>Resolved by</strong>{' '}
          <span>
            {resolverOf(anomaly)}
            {anomaly.resolvedAt ? `, ${dayAndTime(anomaly.resolvedAt)}` : ''}
            {anomaly.resolution ? ` (${anomaly.resolution})` : ''}
          </span>
        </p>
      ) : null}
    </AnomalyStep>
  );
}

/** The step that names draws, tickets and club of an anomaly that is not a missing ticket. */
function WhatItIsFor({ anomaly }: { anomaly: Anomaly }) {
  const draws = useQuery('draws').data ?? [];
  const numbers = anomaly.drawNumbers ?? [];
  const [only] = numbers;
  return (
    <AnomalyStep title="What the payment is for">
      {numbers.length === 0 ? <p className="meta">No order of ours is known.</p> : null}
      {numbers.length === 1 && only !== undefined && anomaly.ticketCount !== null ? (
        <PaymentPurpose
          anomaly={anomaly}
          lines={[{ drawNumber: only, ticketCount: anomaly.ticketCount }]}
          draws={draws}
        />
      ) : numbers.length > 0 ? (
        <FactList
          facts={[
            ['Draws', numbers.map((number) => `FD-${number}`).join(', ')],
            ['Tickets', anomaly.ticketCount],
          ]}
        />
      ) : null}
      {anomaly.clubName ? <p className="meta">Sold by {anomaly.clubName}.</p> : null}
    </AnomalyStep>
  );
}
