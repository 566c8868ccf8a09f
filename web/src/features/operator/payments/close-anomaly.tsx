import { useSetAtom } from 'jotai';
import { resolveAnomaly } from '@/api/endpoints/operator';
import type { Anomaly } from '@/api/wire-operator';
import { O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { CopyId, Facts } from '../components/common';
import { ReasonDialog } from '../components/reason-dialog';
import { useAction } from '../session/use-action';
import { refundableText, labelOf, needsCustomerDetails } from './anomalies';

interface CloseAnomalyProps {
  anomaly: Anomaly;
  open: boolean;
  onClose: () => void;
  onResolved: () => void;
}

/**
 * Closes an anomaly with the operator's name and reason. No money moves and no ticket is allocated
 * (decision M-9).
 */
export function CloseAnomaly({ anomaly, open, onClose, onResolved }: CloseAnomalyProps) {
  const action = useAction();
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
      <Facts
        facts={[
          ['Type', labelOf(anomaly.type)],
          ['Amount', refundableText(anomaly)],
          ['Payment intent', <CopyId key="pi" id={anomaly.paymentIntentId} full />],
        ]}
      />
      <p>
        {needsCustomerDetails(anomaly)
          ? 'The customer gets no ticket and no money back by this. '
          : ''}
        Nothing is charged, refunded or allocated. Your name and the reason stay in the audit log.
      </p>
    </ReasonDialog>
  );
}
