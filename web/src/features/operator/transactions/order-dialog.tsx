import { dayAndTime } from '@/shared/dates';
import { Dialog } from '@/shared/ui/dialog';
import { AuditTrail } from '../audit/audit-trail';
import { Skeleton, CopyId, Facts } from '../components/common';
import { OrderFacts, useOrder } from './order-facts';

interface OrderDialogProps {
  order: string;
  onClose: () => void;
  onRefund: (order: string) => void;
}

/** Shows an order that is not in the payment list: older than 30 days, or never paid. */
export function OrderDialog({ order: id, onClose, onRefund }: OrderDialogProps) {
  const known = useOrder(id);
  return (
    <Dialog title="Order" open onClose={onClose}>
      {known.at === 'asking' ? <Skeleton rows={4} /> : null}
      {known.at === 'failed' ? (
        <p className="callout is-bad" role="alert">
          {known.words}
        </p>
      ) : null}
      {known.at === 'known' ? (
        <>
          <Facts
            facts={[
              ['Order', <CopyId key="order" id={known.order.id} full />],
              ['Payment intent', <CopyId key="pi" id={known.order.paymentIntentId} full />],
              ['When', dayAndTime(known.order.createdAt)],
              ['Status', known.order.state],
            ]}
          />
          <OrderFacts order={known.order} />
          {known.order.whyNot ? <p className="callout">{known.order.whyNot}</p> : null}
          {known.order.refundable ? (
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
