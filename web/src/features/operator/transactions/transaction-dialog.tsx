import type { Transaction } from '@/api/wire-operator';
import { dayAndTime } from '@/shared/dates';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { Dialog } from '@/shared/ui/dialog';
import { AuditTrail } from '../audit/audit-trail';
import { amountText } from '../components/money';
import { CopyableId, FactList } from '../components/common';

interface TransactionDialogProps {
  transaction: Transaction;
  onClose: () => void;
  onRefund: (order: string) => void;
}

/** Shows one payment and how its amount was divided. */
export function TransactionDialog({ transaction, onClose, onRefund }: TransactionDialogProps) {
  const {
    paymentIntentId,
    orderId,
    lines,
    drawId,
    ticketCount,
    ticketPrice,
    refundState,
    refunded,
    refundNote,
    stripeUrl,
  } = transaction;
  const games = lines ?? [{ drawNumber: Number(drawId), ticketCount, ticketPrice }];
  const canRefund = orderId && transaction.status === 'succeeded' && !refundState;
  return (
    <Dialog title={`Payment of ${amountText(transaction.customerCharged)}`} open onClose={onClose}>
      <FactList
        facts={[
          ['Payment intent', <CopyableId key="pi" id={paymentIntentId} full />],
          ['When', dayAndTime(transaction.createdAt)],
          ['Status', transaction.status],
          [
            'Customer',
            transaction.customerName
              ? `${transaction.customerName}${transaction.customerEmail ? `, ${transaction.customerEmail}` : ''}`
              : (transaction.customerEmail ?? O.guest),
          ],
          ['Club', transaction.clubName],
          [
            'Tickets',
            games
              .map(
                (line) =>
                  `${line.ticketCount} × ${amountText(line.ticketPrice)} (FD-${line.drawNumber})`,
              )
              .join('; '),
          ],
          ['Charged', amountText(transaction.customerCharged)],
          [
            'Stripe fees',
            `${amountText(transaction.stripeFees)}${transaction.feesEstimated ? ' (estimated)' : ''}`,
          ],
          ['Platform fee', amountText(transaction.platformFee)],
          ['Club payout', amountText(transaction.clubPayout)],
          ...(refundState ? [['Refund', `${refundState}: ${amountText(refunded)}`] as const] : []),
          ...(refundNote ? [['Refund note', refundNote] as const] : []),
        ]}
      />
      <div className="actions">
        {stripeUrl ? (
          <a className="btn small sec" href={stripeUrl} target="_blank" rel="noreferrer">
            Open in the Stripe dashboard
          </a>
        ) : null}
        {canRefund ? (
          <button type="button" className="btn small sec" onClick={() => onRefund(orderId)}>
            Refund payment
          </button>
        ) : null}
      </div>
      {orderId ? <AuditTrail objects={`order:${orderId}`} /> : null}
    </Dialog>
  );
}
