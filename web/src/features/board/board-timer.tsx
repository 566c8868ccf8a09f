import { useAtomValue } from 'jotai';
import { boardTimeLeft, pageBand } from '@/features/shared-live/countdown';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { S } from '@/shared/strings';

export interface BoardTimes {
  /** As the server says it; `scheduled` counts to the opening, everything else to the close (A:136). */
  status: string;
  opensAt: number | null;
  closesAt: number | null;
  /** A draw closes at its kick-off, an offer with the first of its games. */
  of: 'draw' | 'offer';
}

/** How long is left, or what came after: days only when there are any, stopping at zero. */
export function BoardTimer({ times }: { times: BoardTimes }) {
  const now = useAtomValue(nowAtom);
  const { status, opensAt, closesAt, of } = times;
  if (status === 'cancelled') return <Said words="Draw" said="Cancelled" />;
  if (status === 'completed') return <Said words="Draw" said={S.completedCaps} />;
  if (opensAt !== null && (status === S.scheduled || opensAt > now))
    return <Timer words="Opens in" ms={opensAt - now} band="" />;
  if (
    closesAt === null ||
    closesAt <= now ||
    !['active', 'open', 'locked', S.scheduled].includes(status)
  ) {
    return of === 'draw' ? (
      <Said words={S.drawClosed} said={S.resultsPending} />
    ) : (
      <Said words="Offer" said={S.bundleClosed} />
    );
  }
  const band = pageBand(now, closesAt);
  return (
    <Timer
      words={of === 'draw' ? 'Kick-off in' : 'Closes in'}
      ms={closesAt - now}
      band={band === 'green' || band === 'yellow' ? '' : ` band-${band}-ink`}
    />
  );
}

function Said({ words, said }: { words: string; said: string }) {
  return (
    <div>
      <dt className="board-label">{words}</dt>
      <dd className="num">{said}</dd>
    </div>
  );
}

function Timer({ words, ms, band }: { words: string; ms: number; band: string }) {
  return (
    <div>
      <dt className="board-label">{words}</dt>
      <dd className={`num${band}`}>
        <span role="timer">{boardTimeLeft(Math.max(0, ms))}</span>
      </dd>
    </div>
  );
}
