import { CLUB_API_PATHS } from '@/api/endpoints/club';
import type { ClubActivity } from '@/api/wire-club';
import { groupByDay } from '@/shared/group-by-day';
import { dayText, timeOfDay } from '@/shared/dates';
import { LoadFailed } from '@/shared/ui/load-failed';
import { usePageTitle } from '@/shared/ui/page-title';
import { useState } from 'react';
import { useQuery } from '../data/use-query';
import { BackLink } from '../frame/club-frame';
import { AccessDenied, type ClubPageContext } from '../frame/club-page';
import { OWNERS_ONLY_TEXT, isOwner } from '../session/roles';
import { activityText } from './activity-text';

const ENTRIES_PER_PAGE = 50;

/** What the people of the club did, as sentences, newest first. Only owners see it. */
export function ActivityPage({ here: { club } }: { here: ClubPageContext }) {
  usePageTitle('Activity log');
  const [before, setBefore] = useState<number | null>(null);
  const path = `${CLUB_API_PATHS.activity(club.id)}${before === null ? '' : `?before=${before}`}`;
  const { data, problem, retry } = useQuery<ClubActivity[]>(isOwner(club) ? path : null);
  if (!isOwner(club))
    return <AccessDenied title="Activity log" text={OWNERS_ONLY_TEXT} club={club} />;
  const last = data?.at(-1);
  return (
    <main className="admin" id="main" aria-busy={!data && !problem}>
      <BackLink club={club} />
      <h1>Activity log</h1>
      {!data && problem ? <LoadFailed title="Failed to load the log" onRetry={retry} /> : null}
      {!data && !problem ? <span className="skeleton" style={{ height: 220 }} /> : null}
      {data && data.length === 0 ? <p className="card empty">Nothing was done yet.</p> : null}
      {groupByDay(data ?? [], dayText).map(({ day, entries }) => (
        <section key={day} aria-label={day}>
          <h2>{day}</h2>
          <ul className="card activity">
            {entries.map((entry) => (
              <li key={entry.id}>
                <time dateTime={entry.at}>{timeOfDay(entry.at)}</time>
                <span>{activityText(entry)}</span>
              </li>
            ))}
          </ul>
        </section>
      ))}
      <div className="row-actions">
        {before !== null ? (
          <button type="button" className="btn small sec" onClick={() => setBefore(null)}>
            Newest
          </button>
        ) : null}
        {last && data?.length === ENTRIES_PER_PAGE ? (
          <button type="button" className="btn small sec" onClick={() => setBefore(last.id)}>
            Older
          </button>
        ) : null}
      </div>
    </main>
  );
}
