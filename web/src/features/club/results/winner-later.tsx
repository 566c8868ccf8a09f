import { dayAndTime } from '@/shared/dates';
import { C } from '@/shared/strings-club';

/** A result before kick-off: it can still be undone, so not even the club reads yet which ticket it is on (decision E-6). */
export function WinnerLater({ at, timezone }: { at: string; timezone: string }) {
  return (
    <p className="callout">
      {C.winnerAfterKickOff}, {dayAndTime(at, timezone)}.
    </p>
  );
}
