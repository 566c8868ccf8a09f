import { useSetAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { cancelDraw, fetchCancellationPreview } from '@/api/endpoints/operator';
import type { AdminDraw, Cancellation } from '@/api/wire-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { useRefetchQueries } from '../queries/use-query';
import { amountText } from '../components/money';
import { RowsSkeleton, FactList } from '../components/common';
import { ReasonDialog } from '../components/reason-dialog';
import { useActionWithFeedback } from '../session/use-action';

/**
 * Cancels a draw whose game is not played. Every buyer is refunded in full, including the platform
 * fee (decision E-9).
 */
export function CancelDrawDialog({ draw, onClose }: { draw: AdminDraw; onClose: () => void }) {
  const action = useActionWithFeedback();
  const refetchQueries = useRefetchQueries();
  const toast = useSetAtom(showToastAtom);
  const [would, setWould] = useState<Cancellation | null>(null);
  const [unknown, setUnknown] = useState(false);
  useEffect(() => {
    fetchCancellationPreview(draw.drawNumber).then(setWould, () => setUnknown(true));
  }, [draw.drawNumber]);
  const cancel = async (reason: string) => {
    const done = await action.run(
      async () => {
        const { orders, refundTotal } = await cancelDraw(draw.drawNumber, {
          reason,
          drawNumber: draw.drawNumber,
        });
        toast({
          title: 'Draw cancelled',
          text:
            orders === 0
              ? 'Nobody had bought a ticket.'
              : `${amountText(refundTotal)} goes back to ${orders} ${orders === 1 ? 'buyer' : 'buyers'}.`,
        });
      },
      {
        failed: 'Failed to cancel draw',
        failedText: 'The draw was not cancelled. Please try again.',
      },
    );
    if (!done) return;
    void refetchQueries('draws').catch(() => {});
    onClose();
  };
  return (
    <ReasonDialog
      title="Cancel draw"
      open
      onClose={onClose}
      button="Cancel draw and refund all"
      drawNumberToType={draw.drawNumber}
      action={action}
      onConfirm={(reason) => void cancel(reason)}
    >
      <p>
        {draw.homeTeam} v {draw.awayTeam}: for a game that is abandoned. A postponed game only needs
        its kick-off moved.
      </p>
      {would ? (
        <FactList
          facts={[
            ['Orders', would.orders],
            ['Tickets', would.tickets],
            ['Goes back to buyers', amountText(would.refundTotal)],
            ['Platform fee given back', amountText(would.platformFeeReturned)],
          ]}
        />
      ) : null}
      {would?.whyNot ? (
        <p className="callout is-bad" role="alert">
          {would.whyNot}
        </p>
      ) : null}
      {!would && !unknown ? <RowsSkeleton rows={2} /> : null}
      {unknown ? (
        <FactList
          facts={[
            ['Tickets', draw.ticketsSold],
            ['Ticket revenue', amountText(draw.revenue)],
          ]}
        />
      ) : null}
      <p>Every buyer is refunded in full and told by mail. This cannot be undone.</p>
    </ReasonDialog>
  );
}
