import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import { fetchClubs } from '@/api/endpoints/buyer';
import type { ClubSummary } from '@/api/wire';
import { initialsOf, readableTextColourOn } from '@/shared/club-colours';

const CLUB_NAME_LENGTH_MAX = 15;
const SCROLLING_CLUB_COUNT_MIN = 5;

const shortenClubName = (name: string) =>
  name.length > CLUB_NAME_LENGTH_MAX ? `${name.slice(0, CLUB_NAME_LENGTH_MAX)}…` : name;

/** Returns all clubs, and none until they are loaded or if they cannot be. */
export function useClubs(): readonly ClubSummary[] {
  const [clubs, setClubs] = useState<readonly ClubSummary[]>([]);
  useEffect(() => {
    void fetchClubs().then(setClubs, () => {});
  }, []);
  return clubs;
}

/** The row of clubs. Hidden when there are none or the list cannot be loaded. */
export function ClubTilesRow({ clubs }: { clubs: readonly ClubSummary[] }) {
  if (clubs.length === 0) return null;
  return (
    <section className="section" aria-labelledby="clubs-title">
      <div className="section-head">
        <h2 id="clubs-title">Clubs</h2>
        {clubs.length > SCROLLING_CLUB_COUNT_MIN ? (
          <span className="meta">Scroll sideways for more</span>
        ) : null}
      </div>
      <ul
        className="club-row"
        tabIndex={clubs.length > SCROLLING_CLUB_COUNT_MIN ? 0 : undefined}
        aria-labelledby="clubs-title"
      >
        {clubs.map((club) => (
          <li key={club.id}>
            <Link
              className="card club-tile"
              href={`/club/${club.slug}`}
              title={club.name}
              aria-label={club.name}
            >
              {club.logoUrl ? (
                <img src={club.logoUrl} alt="" width="56" height="56" loading="lazy" />
              ) : (
                <span
                  className="club-letters"
                  style={{
                    background: club.primaryColor ?? undefined,
                    color: readableTextColourOn(club.primaryColor ?? '#1f2937'),
                  }}
                >
                  {initialsOf(club.name)}
                </span>
              )}
              <span>{shortenClubName(club.name)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
