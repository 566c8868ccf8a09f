import { useAtomValue, useStore } from 'jotai';
import { useState } from 'react';
import { Link } from 'wouter';
import type { ClubSummary } from '@/api/wire';
import { drawAtom, drawListAtom, nowAtom } from '@/features/shared-live/live-atoms';
import { useLiveDrawList } from '@/features/shared-live/use-live';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { LoadFailed } from '@/shared/ui/load-failed';
import { DrawCard } from './draw-card';
import { DrawFilterRow } from './draw-filter-row';
import { ALL_DRAWS, clubsFound, drawFilters, isDrawFound, isKeptByFilter } from './find';

const RECENT_RESULTS_SHOWN = 9;
/** The cards of a list before 'Show all'. `critical.css` hides the others. */
const PHONE_CARDS_SHOWN = 3;
const PHONE_CARDS_SHOWN_FEW = 1;
const DESKTOP_CARDS_SHOWN = 9;

interface DrawGridProps {
  numbers: readonly number[];
  /** Whether a phone shows one card only before 'Show all'. */
  few?: boolean;
  children: (drawNumber: number) => React.ReactNode;
}

/** A grid of draws. Shows the first ones until the visitor asks for all. */
function DrawGrid({ numbers, few = false, children }: DrawGridProps) {
  const [all, setAll] = useState(false);
  const cut = !all && numbers.length > (few ? PHONE_CARDS_SHOWN_FEW : PHONE_CARDS_SHOWN);
  return (
    <>
      <div className={`draw-grid${cut ? ' is-cut' : ''}${cut && few ? ' is-few' : ''}`}>
        {(cut ? numbers.slice(0, DESKTOP_CARDS_SHOWN) : numbers).map(children)}
      </div>
      {cut ? (
        <button
          type="button"
          className={
            numbers.length > DESKTOP_CARDS_SHOWN ? 'btn sec show-all' : 'btn sec show-all on-phone'
          }
          onClick={() => setAll(true)}
        >
          Show all {numbers.length}
          <span className="sr"> draws</span>
        </button>
      ) : null}
    </>
  );
}

interface ActiveDrawsProps {
  /** What the visitor typed to find a draw. */
  query: string;
  clubs: readonly ClubSummary[];
}

export function ActiveDrawsSection({ query, clubs }: ActiveDrawsProps) {
  const { failed, retry } = useLiveDrawList('active');
  const listed = useAtomValue(drawListAtom('active'));
  const store = useStore();
  const now = useAtomValue(nowAtom);
  const [chosen, setChosen] = useState(ALL_DRAWS);
  const searched = listed?.filter((number) => {
    const draw = store.get(drawAtom(number));
    return !draw || isDrawFound(draw, query);
  });
  const filters = drawFilters(
    (searched ?? []).flatMap((number) => store.get(drawAtom(number)) ?? []),
    now,
  );
  // A filter that keeps nothing any more is not shown, and no longer applies.
  const filter = filters.some(({ key }) => key === chosen) ? chosen : ALL_DRAWS;
  const numbers = searched?.filter((number) => {
    const draw = store.get(drawAtom(number));
    return !draw || isKeptByFilter(draw, filter, now);
  });
  const found = clubsFound(clubs, query);
  const searching = query.trim() !== '';
  return (
    <section className="section" id="live-draws" aria-labelledby="live-draws-title">
      <div className="section-head">
        <h2 id="live-draws-title">Live Draws</h2>
        <span className="meta" role="status">
          {searching && searched ? foundText(searched.length, query) : ''}
        </span>
      </div>
      {listed && listed.length > 1 ? (
        <DrawFilterRow filters={filters} chosen={filter} onChosen={setChosen} />
      ) : null}
      {found.length > 0 ? (
        <ul className="found-clubs">
          {found.map((club) => (
            <li key={club.id}>
              <Link className="btn sec small" href={`/club/${club.slug}`}>
                {club.name}
              </Link>
            </li>
          ))}
        </ul>
      ) : null}
      {failed ? <LoadFailed title={S.failedToLoadDraws} onRetry={retry} /> : null}
      {numbers ? null : failed ? null : <DrawCardsSkeleton />}
      {listed?.length === 0 ? (
        <div className="card empty">
          <strong>{S.noActiveDraws}</strong>
          <p>{S.checkBackSoon}</p>
        </div>
      ) : null}
      {numbers && numbers.length > 0 ? (
        <DrawGrid key={`${query} ${filter}`} numbers={numbers}>
          {(number) => <DrawCard key={number} drawNumber={number} />}
        </DrawGrid>
      ) : null}
    </section>
  );
}

const foundText = (count: number, query: string) =>
  `${count === 0 ? 'No draw' : count === 1 ? '1 draw' : `${count} draws`} for “${query.trim()}”`;

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
      <DrawGrid numbers={numbers} few>
        {(number) => <DrawCard key={number} drawNumber={number} awaiting />}
      </DrawGrid>
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
      <DrawGrid numbers={numbers.slice(0, RECENT_RESULTS_SHOWN)} few>
        {(number) => <DrawCard key={number} drawNumber={number} />}
      </DrawGrid>
    </section>
  );
}
