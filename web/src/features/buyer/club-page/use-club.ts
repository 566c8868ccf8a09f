/** One club's page, loaded once; its draws then live in the shared book. */
import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { fetchClub } from '@/api/endpoints/buyer';
import { Problem } from '@/api/http';
import type { Club } from '@/api/wire';
import { bootAtom } from '@/features/shared-live/boot-atoms';
import { receiveDrawsAtom } from '@/features/shared-live/live-atoms';
import { S } from '@/shared/strings';

export type ClubState = { at: 'asking' } | { at: 'failed'; words: string } | { at: 'known'; club: Club };

export function useClub(slug: string): ClubState {
  const boot = useAtomValue(bootAtom).club;
  const receive = useSetAtom(receiveDrawsAtom);
  const brought = boot && (boot.slug === slug || boot.homePageSlug === slug) && boot.activeDraws ? boot : null;
  const [state, setState] = useState<ClubState>(brought ? { at: 'known', club: brought } : { at: 'asking' });
  useEffect(() => {
    let current = true;
    void fetchClub(slug).then(
      (club) => {
        if (!current) return;
        receive([...(club.activeDraws ?? []), ...(club.completedDraws ?? [])]);
        setState({ at: 'known', club });
      },
      (error: unknown) => current && setState({ at: 'failed', words: error instanceof Problem && error.status === 404 ? S.clubPageNotFound : S.failedToLoadClubPage }),
    );
    return () => {
      current = false;
    };
  }, [slug, receive]);
  return state;
}
