import { dayAndTime } from '@/shared/dates';
import { CLUB_TEXTS as C } from '@/shared/strings-club';

/**
 * Shown after a result before kick-off: the winning ticket stays hidden from the club until
 * kick-off (decision E-6).
 */
export function WinnerHiddenNote({ at, timezone }: { at: string; timezone: string }) {
  return (
    <p className="callout">
      {C.winnerAfterKickOff}, {dayAndTime(at, timezone)}.
    </p>
  );
}
