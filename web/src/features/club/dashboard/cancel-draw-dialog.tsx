import { useSetAtom } from 'jotai';
import { CLUB_API_PATHS, cancelUnsoldDraw } from '@/api/endpoints/club';
import type { Draw } from '@/api/wire';
import { CLUB_TEXTS as C } from '@/shared/strings-club';
import { ConfirmDialog } from '@/shared/ui/confirm-dialog';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { errorText } from '../data/error-text';
import { markPathsChangedAtom } from '../data/query-atoms';
import { useMutation } from '../session/use-session';
import { gameTimeText, teamsText } from './draw-labels';

/** Asks before a draw without sales is cancelled. */
export function CancelDrawDialog({
  club,
  draw,
  onClose,
}: {
  club: number;
  draw: Draw | null;
  onClose: () => void;
}) {
  const { pending, run } = useMutation();
  const showToast = useSetAtom(showToastAtom);
  const changed = useSetAtom(markPathsChangedAtom);
  const cancel = () =>
    run(
      async () => {
        if (!draw) return;
        await cancelUnsoldDraw(draw.drawNumber);
        onClose();
        showToast({ title: `${teamsText(draw)} is cancelled` });
        changed(CLUB_API_PATHS.draws(club), CLUB_API_PATHS.stats(club));
      },
      (error) => {
        onClose();
        showToast({ title: C.error, text: errorText(error, C.pleaseTryAgain), bad: true });
      },
    );
  return (
    <ConfirmDialog
      title={draw ? `Cancel ${teamsText(draw)}?` : ''}
      open={draw !== null}
      confirm="Cancel this draw"
      cancel="Keep it"
      danger
      pending={pending}
      onCancel={onClose}
      onConfirm={() => void cancel()}
    >
      <p>
        {draw ? `${gameTimeText(draw)}. ` : ''}Nobody has bought a ticket. It cannot be put on sale
        again; you can create a new draw of the same game.
      </p>
    </ConfirmDialog>
  );
}
