import { useSetAtom } from 'jotai';
import { refundAnomaly } from '@/api/endpoints/operator';
import type { Anomaly } from '@/api/wire-operator';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { useRefetchQueries } from '../queries/use-query';
import { CopyableId, FactList } from '../components/common';
import { ReasonDialog } from '../components/reason-dialog';
import { useActionWithFeedback } from '../session/use-action';
import { refundableAmountText, isOrdersOwnPayment } from './anomalies';

interface AnomalyRefundDialogProps {
  anomaly: Anomaly;
  open: boolean;
  onClose: () => void;
  onResolved: () => void;
}

/**
 * Refunds exactly the payment of an anomaly. The order that a second payment belongs to keeps its
 * tickets (decision I-2). An order without tickets gets none.
 */
export function AnomalyRefundDialog({
  anomaly,
  open,
  onClose,
  onResolved,
}: AnomalyRefundDialogProps) {
  const action = useActionWithFeedback();
  const back = refundableAmountText(anomaly);
  const refetchQueries = useRefetchQueries();
  const toast = useSetAtom(showToastAtom);
  const refund = async (reason: string) => {
    const done = await action.run(
      async () => {
        await refundAnomaly(anomaly.id, reason);
        toast({ title: 'Refunded', text: `${back} goes back.` });
      },
      { failed: 'Refund failed', failedText: 'Nothing was refunded. Please try again.' },
    );
    if (!done) return;
    void refetchQueries('transactions', 'transactionSums').catch(() => {});
    onClose();
    onResolved();
  };
  return (
    <ReasonDialog
      title="Refund this payment"
      open={open}
      onClose={onClose}
      button={`Refund ${back}`}
      action={action}
      onConfirm={(reason) => void refund(reason)}
    >
      <FactList
        facts={[
          ['Amount', back],
          ['Customer', anomaly.customerEmail ?? O.guest],
          ['Payment intent', <CopyableId key="pi" id={anomaly.paymentIntentId} full />],
        ]}
      />
      {/* The draw's ledger decides how much of the platform fee is refunded. A draw past the
          fee cap may refund less (decision D-3). */}
      <p>
        {isOrdersOwnPayment(anomaly)
          ? 'This payment goes back whole, and its order gets no tickets any more.'
          : 'This payment goes back whole, the platform’s fee with it.'}{' '}
        Tickets of any other payment stay as they are. This cannot be undone.
      </p>
    </ReasonDialog>
  );
}
