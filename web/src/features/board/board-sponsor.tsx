import { useEffect, useState } from 'react';
import { fetchClubById } from '@/api/endpoints/public';

interface Sponsor {
  name: string;
  logoUrl: string | null;
}

/**
 * Returns the sponsor of a club, once it has loaded. A board reloads itself each night, so a
 * changed sponsor appears the next day at the latest.
 */
export function useClubSponsor(clubId: number | undefined): Sponsor | null {
  const [sponsor, setSponsor] = useState<Sponsor | null>(null);
  useEffect(() => {
    if (clubId === undefined) return;
    let current = true;
    fetchClubById(clubId).then(
      ({ sponsorName, sponsorLogoUrl }) => {
        if (current && sponsorName)
          setSponsor({ name: sponsorName, logoUrl: sponsorLogoUrl ?? null });
      },
      () => {},
    );
    return () => {
      current = false;
    };
  }, [clubId]);
  return sponsor;
}

/** The sponsor on a white plate, so that any logo works. The name stands for a missing logo. */
export function BoardSponsor({ sponsor }: { sponsor: Sponsor }) {
  const [failed, setFailed] = useState(false);
  const { name, logoUrl } = sponsor;
  return (
    <div className="board-sponsor">
      <span className="board-sponsor-words">Proudly supported by</span>
      {logoUrl && !failed ? (
        <img className="board-plate" src={logoUrl} alt={name} onError={() => setFailed(true)} />
      ) : (
        <span className="board-plate num">{name}</span>
      )}
    </div>
  );
}
