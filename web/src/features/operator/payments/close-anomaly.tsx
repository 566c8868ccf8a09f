import { useSetAtom } from 'jotai';
import { resolveAnomaly } from '@/api/endpoints/operator';
import type { Anomaly } from '@/api/wire-operator';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { CopyableId, FactList } from '../components/common';
import { ReasonDialog } from '../components/reason-dialog';
import { useActionWithFeedback } from '../session/use-action';
import {
  anomalyLabelOf,
  holdsCustomersMoney,
  needsCustomerDetails,
  refundableAmountText,
} from './anomalies';

interface CloseAnomalyDialogProps {
  anomaly: Anomaly;
  open: boolean;
  onClose: () => void;
  onResolved: () => void;
}

/**
 * Closes an anomaly with the operator's name and reason. No money moves and no ticket is allocated
 * (decision M-9).
 */
export function CloseAnomalyDialog({
  anomaly,
  open,
  onClose,
  onResolved,
}: CloseAnomalyDialogProps) {
  const action = useActionWithFeedback();
  const toast = useSetAtom(showToastAtom);
  const close = async (reason: string) => {
    const done = await action.run(
      async () => {
        await resolveAnomaly(anomaly.id, reason);
        toast({ title: 'Anomaly closed', text: reason });
      },
      { failed: O.resolveFailed },
    );
    if (!done) return;
    onClose();
    onResolved();
  };
  return (
    <ReasonDialog
      title="Close this anomaly"
      open={open}
      onClose={onClose}
      button="Close anomaly"
      action={action}
      onConfirm={(reason) => void close(reason)}
    >
      <FactList
        facts={[
          ['Type', anomalyLabelOf(anomaly.type)],
          ['Amount', refundableAmountText(anomaly)],
          ['Payment intent', <CopyableId key="pi" id={anomaly.paymentIntentId} full />],
        ]}
      />
      <p>
        {needsCustomerDetails(anomaly)
          ? 'The customer gets no ticket and no money back by this. '
          : holdsCustomersMoney(anomaly)
            ? 'The customer gets no money back by this. '
            : ''}
        Nothing is charged, refunded or allocated. Your name and the reason stay in the audit log.
      </p>
    </ReasonDialog>
  );
}
