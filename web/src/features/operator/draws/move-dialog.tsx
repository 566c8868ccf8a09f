import { useSetAtom } from 'jotai';
import { useState } from 'react';
import { moveKickOff } from '@/api/endpoints/operator';
import type { AdminDraw } from '@/api/wire-operator';
import { Field } from '@/shared/ui/field';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { useRefetchQueries } from '../queries/use-query';
import { ReasonDialog } from '../components/reason-dialog';
import { useActionWithFeedback } from '../session/use-action';
import { gameDateText } from './game-date';

/** Formats an instant as local time in the draw's zone: `2026-11-20T19:10`. */
export function localTimeInputValue(instant: string, zone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', {
    timeZone: zone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).formatToParts(new Date(instant));
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? '';
  return `${of('year')}-${of('month')}-${of('day')}T${of('hour')}:${of('minute')}`;
}

/**
 * Moves the kick-off of a postponed game. Only the operator may move a kick-off that has passed
 * (decision E-9). The new time is in the draw's zone (decision E-11).
 */
export function MoveKickOffDialog({ draw, onClose }: { draw: AdminDraw; onClose: () => void }) {
  const action = useActionWithFeedback();
  const refetchQueries = useRefetchQueries();
  const toast = useSetAtom(showToastAtom);
  const [at, setAt] = useState(() => localTimeInputValue(draw.gameDate, draw.timezone));
  const move = async (reason: string) => {
    const done = await action.run(
      async () => {
        const moved = await moveKickOff(draw.drawNumber, { gameDate: at, reason });
        toast({ title: 'Kick-off moved', text: gameDateText(moved.gameDate, moved.timezone) });
      },
      {
        failed: 'Failed to move kick-off',
        failedText: 'The kick-off stays as it is. Please try again.',
      },
    );
    if (!done) return;
    void refetchQueries('draws').catch(() => {});
    onClose();
  };
  return (
    <ReasonDialog
      title="Move kick-off"
      open
      onClose={onClose}
      button="Move kick-off"
      action={action}
      onConfirm={(reason) => void move(reason)}
    >
      <p>
        {draw.homeTeam} v {draw.awayTeam}, now {gameDateText(draw.gameDate, draw.timezone)}. A draw
        that closed opens again until the new kick-off.
      </p>
      <Field
        id="new-kick-off"
        label={`New kick-off (${draw.timezone})`}
        type="datetime-local"
        value={at}
        onValue={setAt}
      />
    </ReasonDialog>
  );
}
