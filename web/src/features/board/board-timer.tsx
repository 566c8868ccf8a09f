import { useAtomValue } from 'jotai';
import { clockTimeLeftText, pageUrgencyBand } from '@/features/shared-live/countdown';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { PUBLIC_TEXTS as S } from '@/shared/strings';

export interface SalePeriod {
  /**
   * The status from the server. An offer or draw counts down to the opening, and while on sale to
   * the close (specification line A:138). `cancelled` and `completed` have no countdown.
   */
  status: string;
  opensAt: number | null;
  closesAt: number | null;
  /** What is on sale. A draw closes at its kick-off, an offer with the first of its games. */
  of: 'draw' | 'offer';
}

/**
 * Shows the time left, or the state after the close. Days appear only when there are any; the timer
 * stops at zero.
 */
export function BoardTimer({ times }: { times: SalePeriod }) {
  const now = useAtomValue(nowAtom);
  const { status, opensAt, closesAt, of } = times;
  if (status === 'cancelled') return <BoardLabelledText text="Draw" spokenText="Cancelled" />;
  if (status === 'completed') return <BoardLabelledText text="Draw" spokenText={S.completedCaps} />;
  if (opensAt !== null && (status === S.scheduled || opensAt > now))
    return <BoardCountdown text="Opens in" ms={opensAt - now} band="" />;
  if (
    closesAt === null ||
    closesAt <= now ||
    !['active', 'open', 'locked', S.scheduled].includes(status)
  ) {
    return of === 'draw' ? (
      <BoardLabelledText text={S.drawClosed} spokenText={S.resultsPending} />
    ) : (
      <BoardLabelledText text="Offer" spokenText={S.bundleClosed} />
    );
  }
  const band = pageUrgencyBand(now, closesAt);
  return (
    <BoardCountdown
      text={of === 'draw' ? 'Kick-off in' : 'Closes in'}
      ms={closesAt - now}
      band={band === 'green' || band === 'yellow' ? '' : ` band-${band}-ink`}
    />
  );
}

function BoardLabelledText({ text, spokenText }: { text: string; spokenText: string }) {
  return (
    <div>
      <dt className="board-label">{text}</dt>
      <dd className="num">{spokenText}</dd>
    </div>
  );
}

function BoardCountdown({ text, ms, band }: { text: string; ms: number; band: string }) {
  return (
    <div>
      <dt className="board-label">{text}</dt>
      <dd className={`num${band}`}>
        <span role="timer">{clockTimeLeftText(Math.max(0, ms))}</span>
      </dd>
    </div>
  );
}
