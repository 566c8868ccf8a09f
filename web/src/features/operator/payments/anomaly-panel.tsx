import { useState } from 'react';
import type { Anomaly } from '@/api/wire-operator';
import { dayAndTime } from '@/shared/dates';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { AuditTrail } from '../audit/audit-trail';
import { amountText } from '../components/money';
import { CopyableId, FactList, ErrorMessage, Tag } from '../components/common';
import { BusyButton } from '../components/busy-button';
import { SidePanel } from '../components/side-panel';
import { RefundDialog } from '../transactions/refund-dialog';
import { AnomalyRefundDialog } from './anomaly-refund';
import {
  anomalyLabelOf,
  anomalyDescriptionOf,
  needsCustomerDetails,
  canRefundPayment,
} from './anomalies';
import { CloseAnomalyDialog } from './close-anomaly';
import { CustomerForm } from './customer-form';
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

/** Details of one anomaly: cause, actions, then all data. */
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
  const note = typeof anomaly.details?.note === 'string' ? anomaly.details.note : null;
  const itself = canRefundPayment(anomaly);
  const refund = (order: string | null) => setRefunding({ order: itself ? null : order });
  const objects = [
    `anomaly:${anomaly.id}`,
    ...(anomaly.orderId ? [`order:${anomaly.orderId}`] : []),
  ].join(',');
  return (
    <SidePanel title={anomalyLabelOf(anomaly.type)} itemKey={anomaly.id} onClose={onClose}>
      <p className="ops-cause">
        <ResolvedTag resolved={anomaly.resolved} /> {note ?? anomalyDescriptionOf(anomaly.type)}
      </p>
      {!anomaly.resolved && needsCustomerDetails(anomaly) ? (
        <CustomerForm
          key={anomaly.id}
          anomaly={anomaly}
          paid={paid}
          onResolved={onResolved}
          onRefund={refund}
        />
      ) : null}
      {!anomaly.resolved ? (
        <div className="actions">
          {needsCustomerDetails(anomaly) ? null : (
            <BusyButton className="btn small" busy={resolving.busy} onPress={onMark}>
              {O.markResolved}
            </BusyButton>
          )}
          {itself || anomaly.orderId ? (
            <button type="button" className="btn small sec" onClick={() => refund(anomaly.orderId)}>
              Refund payment
            </button>
          ) : null}
          <button type="button" className="btn small sec" onClick={() => setClosing(true)}>
            Close with a reason
          </button>
        </div>
      ) : null}
      <ErrorMessage message={needsCustomerDetails(anomaly) ? null : resolving.error} />
      <FactList
        facts={[
          ['Amount', amountText(anomaly.amount)],
          ['Customer', anomaly.customerEmail ?? O.guest],
          ['Payment intent', <CopyableId key="pi" id={anomaly.paymentIntentId} full />],
          [
            'Draws',
            anomaly.drawNumbers?.length
              ? anomaly.drawNumbers.map((number) => `FD-${number}`).join(', ')
              : null,
          ],
          ['Club', anomaly.clubName],
          ['Detected', dayAndTime(anomaly.detectedAt)],
          ...(anomaly.resolved
            ? [
                [
                  'Resolved',
                  `${anomaly.resolvedByEmail ?? anomaly.resolvedBy ?? 'System'}${anomaly.resolvedAt ? `, ${dayAndTime(anomaly.resolvedAt)}` : ''}${anomaly.resolution ? ` (${anomaly.resolution})` : ''}`,
                ] as const,
              ]
            : []),
        ]}
      />
      {anomaly.stripeUrl ? (
        <p>
          <a href={anomaly.stripeUrl} target="_blank" rel="noreferrer">
            Open in the Stripe dashboard
          </a>
        </p>
      ) : null}
      <details className="ops-json" open>
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
