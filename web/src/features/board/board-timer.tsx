import { useAtomValue } from 'jotai';
import { clockTimeLeftText, pageUrgencyBand, timeLeftText } from '@/features/shared-live/countdown';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { FittedText } from './fitted-text';

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

const LAST_MINUTES_MS = 10 * 60_000;
const SELLING_STATUSES = ['active', 'open', 'locked', S.scheduled];

/** What the sale counts down to, or null when nothing is left to count. */
function countdownOf(
  { status, opensAt, closesAt }: SalePeriod,
  now: number,
): { to: 'open' | 'close'; ms: number } | null {
  if (status === 'cancelled' || status === 'completed') return null;
  if (opensAt !== null && (status === S.scheduled || opensAt > now))
    return { to: 'open', ms: opensAt - now };
  if (closesAt === null || closesAt <= now || !SELLING_STATUSES.includes(status)) return null;
  return { to: 'close', ms: closesAt - now };
}

/**
 * Shows the time left, or the state after the close. Days appear only when there are any; the timer
 * stops at zero. In the last ten minutes the clock is larger and red.
 */
export function BoardTimer({ times }: { times: SalePeriod }) {
  const now = useAtomValue(nowAtom);
  const { status, of } = times;
  const countdown = countdownOf(times, now);
  if (countdown === null) {
    const [text, value] =
      status === 'cancelled'
        ? ['Draw', 'Cancelled']
        : status === 'completed'
          ? ['Draw', S.completedCaps]
          : of === 'draw'
            ? [S.drawClosed, S.resultsPending]
            : ['Offer', S.bundleClosed];
    return (
      <div className="board-timer">
        <dt className="board-label">{text}</dt>
        <dd className="num">
          <FittedText as="span" className="board-word" text={value} />
        </dd>
      </div>
    );
  }
  const { to, ms } = countdown;
  const isLastMinutes = to === 'close' && ms <= LAST_MINUTES_MS;
  const clock = isLastMinutes ? timeLeftText(ms) : clockTimeLeftText(Math.max(0, ms));
  const band = to === 'close' ? pageUrgencyBand(now, now + ms) : 'green';
  const tone = isLastMinutes
    ? ` is-last-minutes${Math.ceil(ms / 1000) % 60 === 0 ? ' is-pulsing' : ''}`
    : band === 'red' || band === 'orange'
      ? ` band-${band}-ink`
      : '';
  return (
    <div className={`board-timer${tone}`}>
      <dt className="board-label">
        {to === 'open'
          ? 'Opens in'
          : of === 'offer'
            ? 'Closes in'
            : isLastMinutes
              ? 'Sales close in'
              : 'Kick-off in'}
      </dt>
      <dd className="num">
        {/* The watched text has one digit for all, so that a tick does not measure the clock again. */}
        <FittedText as="span" className="board-clock" text={clock.replace(/\d/g, '0')}>
          <span role="timer">{clock}</span>
        </FittedText>
      </dd>
    </div>
  );
}
