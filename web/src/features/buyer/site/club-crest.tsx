import type { Draw } from '@/api/wire';
import { initialsOf } from '@/shared/club-colours';

/** The club's logo, or its two initials. Decorative: the club's name stands beside it. */
export function ClubCrest({ draw }: { draw: Pick<Draw, 'clubName' | 'clubLogoUrl'> }) {
  return draw.clubLogoUrl ? (
    <img className="crest" src={draw.clubLogoUrl} alt="" width="44" height="44" />
  ) : (
    <span className="crest" aria-hidden="true">
      {initialsOf(draw.clubName)}
    </span>
  );
}
