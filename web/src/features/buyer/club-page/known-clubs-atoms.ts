import { atom } from 'jotai';
import type { Club } from '@/api/wire';
import { pageBootDataAtom } from '@/features/shared-live/boot-atoms';

const fetchedClubsAtom = atom<Readonly<Record<string, Club>>>({});

/**
 * Loaded clubs under the requested slug and the current one, so that a redirect to the current slug
 * shows no loading state.
 */
export const knownClubsAtom = atom((get) => {
  const bootClub = get(pageBootDataAtom).club;
  const bootClubs = bootClub?.activeDraws ? clubBySlugs(bootClub) : {};
  return { ...bootClubs, ...get(fetchedClubsAtom) };
});

export const rememberClubAtom = atom(null, (get, set, club: Club) =>
  set(fetchedClubsAtom, { ...get(fetchedClubsAtom), ...clubBySlugs(club) }),
);

function clubBySlugs(club: Club): Record<string, Club> {
  return Object.fromEntries(
    [club.slug, club.canonicalSlug, club.homePageSlug]
      .filter((slug) => slug !== undefined)
      .map((slug) => [slug, club]),
  );
}
