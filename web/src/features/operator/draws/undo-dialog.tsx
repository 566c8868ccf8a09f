import { useSetAtom } from 'jotai';
import { undoResults } from '@/api/endpoints/operator';
import type { AdminDraw } from '@/api/wire-operator';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { useRefetchQueries } from '../queries/use-query';
import { ReasonDialog } from '../components/reason-dialog';
import { useActionWithFeedback } from '../session/use-action';

/** Reverts a result. Requires the typed draw number, a reason and a code (decision E-6). */
export function UndoResultDialog({ draw, onClose }: { draw: AdminDraw; onClose: () => void }) {
  const action = useActionWithFeedback();
  const refetchQueries = useRefetchQueries();
  const toast = useSetAtom(showToastAtom);
  const undo = async (reason: string) => {
    const done = await action.run(
      async () => {
        const { newStatus } = await undoResults(draw.drawNumber, {
          reason,
          drawNumber: draw.drawNumber,
        });
        toast({ title: 'Results undone', text: `${draw.serialNumber} is now ${newStatus}.` });
      },
      { failed: O.undoFailed, failedText: O.undoFailedText },
    );
    if (!done) return;
    void refetchQueries('draws').catch(() => {});
    onClose();
  };
  return (
    <ReasonDialog
      title={O.undoResults}
      open
      onClose={onClose}
      button={O.undoResults}
      drawNumberToType={draw.drawNumber}
      action={action}
      onConfirm={(reason) => void undo(reason)}
    >
      <p>
        {draw.homeTeam} v {draw.awayTeam} loses its result (#{draw.homeFirstTryScorer} &amp; #
        {draw.awayFirstTryScorer}). Pending payouts are cleared, and a winner who was told is told
        of the mistake.
      </p>
    </ReasonDialog>
  );
}
