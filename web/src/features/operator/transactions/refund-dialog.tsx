import { useSetAtom } from 'jotai';
import { refundOrder } from '@/api/endpoints/operator';
import type { OrderDetail } from '@/api/wire-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { Dialog } from '@/shared/ui/dialog';
import { useRefetchQueries } from '../queries/use-query';
import { amountText } from '../components/money';
import { RowsSkeleton } from '../components/common';
import { ReasonDialog } from '../components/reason-dialog';
import { useActionWithFeedback } from '../session/use-action';
import { OrderFacts, useOrderLookup } from './order-facts';

interface RefundDialogProps {
  order: string | null;
  onClose: () => void;
  onDone?: () => void;
}

/**
 * Refunds an order: voids its tickets and returns the whole amount, including the platform fee
 * (decisions B-22, D-3).
 */
export function RefundDialog({ order, onClose, onDone }: RefundDialogProps) {
  return order ? <RefundForm key={order} order={order} onClose={onClose} onDone={onDone} /> : null;
}

/** Says which tickets a refund takes back. */
function voidedTicketsText({ lines }: Pick<OrderDetail, 'lines'>): string {
  const count = lines.reduce((sum, line) => sum + line.ticketCount, 0);
  return count === 1 ? 'The ticket becomes void.' : `All ${count} tickets become void.`;
}

function RefundForm({ order, onClose, onDone }: RefundDialogProps & { order: string }) {
  const lookup = useOrderLookup(order);
  const action = useActionWithFeedback();
  const refetchQueries = useRefetchQueries();
  const toast = useSetAtom(showToastAtom);

  if (lookup.status !== 'known' || !lookup.order.refundable) {
    return (
      <Dialog title="Refund payment" open onClose={onClose}>
        {lookup.status === 'asking' ? <RowsSkeleton rows={3} /> : null}
        {lookup.status === 'failed' ? (
          <p className="callout is-bad" role="alert">
            {lookup.text}
          </p>
        ) : null}
        {lookup.status === 'known' ? (
          <>
            <OrderFacts order={lookup.order} />
            <p className="callout">{lookup.order.whyNot ?? 'This payment cannot be refunded.'}</p>
          </>
        ) : null}
        <div className="actions">
          <button type="button" className="btn sec" onClick={onClose}>
            Close
          </button>
        </div>
      </Dialog>
    );
  }
  const refusedBefore = lookup.order.refund !== null;
  const refund = async (reason: string) => {
    const done = await action.run(
      async () => {
        const { amount, state, ticketsVoided } = await refundOrder(order, reason);
        toast({
          title: state === 'succeeded' ? 'Refunded' : 'Refund under way',
          text: refusedBefore
            ? `${amountText(amount)} goes back.`
            : `${amountText(amount)} goes back; ${ticketsVoided.length} ${ticketsVoided.length === 1 ? 'ticket is' : 'tickets are'} void.`,
        });
      },
      { failed: 'Refund failed', failedText: 'Nothing was refunded. Please try again.' },
    );
    if (!done) return;
    void refetchQueries('transactions', 'transactionSums', 'anomalies', 'stats').catch(() => {});
    onDone?.();
    onClose();
  };
  return (
    <ReasonDialog
      title="Refund payment"
      open
      onClose={onClose}
      button={`Refund ${amountText(lookup.order.total)}`}
      action={action}
      onConfirm={(reason) => void refund(reason)}
    >
      <OrderFacts order={lookup.order} />
      <p>
        {refusedBefore
          ? 'The provider refused this refund before. It is asked again; if the money was given back there meanwhile, that is noted.'
          : `${voidedTicketsText(lookup.order)} An order is refunded as a whole, and the buyer is told by mail. This cannot be undone.`}
      </p>
    </ReasonDialog>
  );
}
