import { useAtomValue } from 'jotai';
import { configAtom } from '@/features/shared-live/live-atoms';
import { S } from '@/shared/strings';
import { Dialog } from '@/shared/ui/dialog';

/** What a buyer agrees to, in the words of the specification's summary (A:309). */
export function TermsDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const config = useAtomValue(configAtom);
  return (
    <Dialog title={S.termsOfSale} open={open} onClose={onClose}>
      <p>Tickets are digital and are sent by e-mail. Each carries a pair of numbers, dealt at random, in an order that was fixed before the first sale.</p>
      <p>All sales are final. Unauthorised card use can be refunded if proven. If we cannot give you your tickets, you are not charged.</p>
      <p>The ticket whose numbers match the first try scorers of both teams wins. A team that does not score counts as number 9.</p>
      <p>Winners are contacted by e-mail and phone and must respond within 7 days. The club that runs the draw pays the prize.</p>
      <p>You must be over 18 and in Australia to buy a ticket.</p>
      {config ? <p>Questions: <a href={`mailto:${config.supportEmail}`}>{config.supportEmail}</a></p> : null}
      <div><button type="button" className="btn" onClick={onClose}>Close</button></div>
    </Dialog>
  );
}
