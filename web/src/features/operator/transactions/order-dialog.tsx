import { dayAndTime } from '@/shared/dates';
import { Dialog } from '@/shared/ui/dialog';
import { AuditTrail } from '../audit/audit-trail';
import { RowsSkeleton, CopyableId, FactList } from '../components/common';
import { OrderFacts, useOrderLookup } from './order-facts';

interface OrderDialogProps {
  order: string;
  onClose: () => void;
  onRefund: (order: string) => void;
}

/** Shows an order that is not in the payment list, for example because it is older than 30 days. */
export function OrderDialog({ order: id, onClose, onRefund }: OrderDialogProps) {
  const lookup = useOrderLookup(id);
  return (
    <Dialog title="Order" open onClose={onClose}>
      {lookup.status === 'asking' ? <RowsSkeleton rows={4} /> : null}
      {lookup.status === 'failed' ? (
        <p className="callout is-bad" role="alert">
          {lookup.text}
        </p>
      ) : null}
      {lookup.status === 'known' ? (
        <>
          <FactList
            facts={[
              ['Order', <CopyableId key="order" id={lookup.order.id} full />],
              ['Payment intent', <CopyableId key="pi" id={lookup.order.paymentIntentId} full />],
              ['When', dayAndTime(lookup.order.createdAt)],
              ['Status', lookup.order.state],
            ]}
          />
          <OrderFacts order={lookup.order} />
          {lookup.order.whyNot ? <p className="callout">{lookup.order.whyNot}</p> : null}
          {lookup.order.refundable ? (
            <div className="actions">
              <button type="button" className="btn small sec" onClick={() => onRefund(id)}>
                Refund payment
              </button>
            </div>
          ) : null}
        </>
      ) : null}
      <AuditTrail objects={`order:${id}`} />
    </Dialog>
  );
}
