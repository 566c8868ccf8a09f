import { useAtomValue } from 'jotai';
import { drawListAtom } from '@/features/shared-live/live-atoms';
import { useLiveDrawList } from '@/features/shared-live/use-live';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { LoadFailed } from '@/shared/ui/load-failed';
import { DrawCard } from './draw-card';

const RECENT_RESULTS_SHOWN = 9;

export function ActiveDrawsSection() {
  const { failed, retry } = useLiveDrawList('active');
  const numbers = useAtomValue(drawListAtom('active'));
  return (
    <section className="section" id="live-draws" aria-labelledby="live-draws-title">
      <div className="section-head">
        <h2 id="live-draws-title">Live Draws</h2>
      </div>
      {failed ? <LoadFailed title={S.failedToLoadDraws} onRetry={retry} /> : null}
      {numbers === null ? failed ? null : <DrawCardsSkeleton /> : null}
      {numbers?.length === 0 ? (
        <div className="card empty">
          <strong>{S.noActiveDraws}</strong>
          <p>{S.checkBackSoon}</p>
        </div>
      ) : null}
      {numbers && numbers.length > 0 ? (
        <div className="draw-grid">
          {numbers.map((number) => (
            <DrawCard key={number} drawNumber={number} />
          ))}
        </div>
      ) : null}
    </section>
  );
}

/** Placeholders for three cards that are loading. */
export function DrawCardsSkeleton() {
  return (
    <div className="draw-grid" aria-busy="true" aria-label="Loading draws">
      {[0, 1, 2].map((index) => (
        <div key={index} className="card draw-card" aria-hidden="true">
          <span className="skeleton" style={{ width: 130, height: 26 }} />
          <span className="skeleton" style={{ width: '80%', height: 26, marginTop: 10 }} />
          <span className="skeleton" style={{ width: '60%', height: 16, marginTop: 8 }} />
        </div>
      ))}
    </div>
  );
}

export function AwaitingResultsSection() {
  useLiveDrawList('awaiting');
  const numbers = useAtomValue(drawListAtom('awaiting'));
  if (!numbers || numbers.length === 0) return null;
  return (
    <section className="section" aria-labelledby="awaiting-title">
      <div className="section-head">
        <h2 id="awaiting-title">{S.awaitingResults}</h2>
        <span className="count-badge">
          {numbers.length}
          <span className="sr"> draws</span>
        </span>
      </div>
      <div className="draw-grid">
        {numbers.map((number) => (
          <DrawCard key={number} drawNumber={number} awaiting />
        ))}
      </div>
    </section>
  );
}

export function RecentResultsSection() {
  useLiveDrawList('completed');
  const numbers = useAtomValue(drawListAtom('completed'));
  if (!numbers || numbers.length === 0) return null;
  return (
    <section className="section" aria-labelledby="recent-title">
      <div className="section-head">
        <h2 id="recent-title">{S.recentResults}</h2>
        <span className="meta">
          {numbers.length} completed {numbers.length === 1 ? 'draw' : 'draws'} in total
        </span>
      </div>
      <div className="draw-grid">
        {numbers.slice(0, RECENT_RESULTS_SHOWN).map((number) => (
          <DrawCard key={number} drawNumber={number} />
        ))}
      </div>
    </section>
  );
}
