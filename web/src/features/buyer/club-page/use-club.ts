/**
 * Loads one club's page and keeps it live. The club's draws are in the shared live state; its lists
 * are polled as specified.
 */
import { useAtomValue, useSetAtom } from 'jotai';
import { useCallback, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { fetchClub } from '@/api/endpoints/buyer';
import { fetchClubAwaitingDraws, fetchClubDraws } from '@/api/endpoints/public';
import { HttpError } from '@/api/http';
import type { Club, Draw } from '@/api/wire';
import { receiveDrawsAtom } from '@/features/shared-live/live-atoms';
import { usePoll } from '@/features/shared-live/use-live';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { knownClubsAtom, rememberClubAtom } from './known-clubs-atoms';

export type ClubLookup =
  { status: 'asking' } | { status: 'failed'; text: string } | { status: 'known'; club: Club };

const ACTIVE_DRAWS_POLL_INTERVAL_MS = 15_000;
const AWAITING_DRAWS_POLL_INTERVAL_MS = 30_000;

export function useClub(slug: string): ClubLookup {
  const knownClub = useAtomValue(knownClubsAtom)[slug];
  const remember = useSetAtom(rememberClubAtom);
  const receive = useSetAtom(receiveDrawsAtom);
  const [failure, setFailure] = useState<string | null>(null);
  useEffect(() => {
    if (slug === '') return;
    let current = true;
    void fetchClub(slug).then(
      (club) => {
        if (!current) return;
        receive([...(club.activeDraws ?? []), ...(club.completedDraws ?? [])]);
        remember(club);
      },
      (error: unknown) =>
        current &&
        setFailure(
          error instanceof HttpError && error.status === 404
            ? S.clubPageNotFound
            : S.failedToLoadClubPage,
        ),
    );
    return () => {
      current = false;
    };
  }, [slug, receive, remember]);
  useEffect(() => {
    if (knownClub) receive([...(knownClub.activeDraws ?? []), ...(knownClub.completedDraws ?? [])]);
  }, [knownClub, receive]);
  if (knownClub) return { status: 'known', club: knownClub };
  return failure ? { status: 'failed', text: failure } : { status: 'asking' };
}

/** Replaces a club's old URL by the current one, without a history entry (decision A-16). */
export function useCanonicalClubUrl(slug: string, club: Club | null): void {
  const [, navigate] = useLocation();
  const canonical = club?.canonicalSlug;
  useEffect(() => {
    if (canonical && canonical !== slug)
      navigate(`/club/${canonical}${window.location.search}${window.location.hash}`, {
        replace: true,
      });
  }, [canonical, slug, navigate]);
}

/**
 * Returns draw numbers in the order first shown. A draw that closes keeps its place until the next
 * visit.
 */
function useStableDrawOrder(first: readonly Draw[]) {
  const receive = useSetAtom(receiveDrawsAtom);
  const [numbers, setNumbers] = useState(() => first.map((draw) => draw.drawNumber));
  const take = useCallback(
    (draws: readonly Draw[]) => {
      receive(draws);
      const drawNumbers = draws.map((draw) => draw.drawNumber);
      setNumbers((last) => [...last, ...drawNumbers.filter((number) => !last.includes(number))]);
    },
    [receive],
  );
  return { numbers, take };
}

/** Returns the club's draws on sale and the draws that wait for a result. */
export function useClubDraws(club: Club) {
  const active = useStableDrawOrder(club.activeDraws ?? []);
  const awaiting = useStableDrawOrder([]);
  const [failed, setFailed] = useState(false);
  const [answered, setAnswered] = useState(false);
  const askActive = async () => {
    try {
      active.take(await fetchClubDraws(club.canonicalSlug ?? club.slug));
      setFailed(false);
    } catch {
      setFailed(true);
    }
  };
  usePoll({
    intervalMs: ACTIVE_DRAWS_POLL_INTERVAL_MS,
    topic: null,
    fetchAtStart: false,
    fetchData: askActive,
  });
  const askAwaiting = () =>
    fetchClubAwaitingDraws(club.id)
      .then(awaiting.take)
      .finally(() => setAnswered(true));
  usePoll({
    intervalMs: AWAITING_DRAWS_POLL_INTERVAL_MS,
    topic: null,
    fetchAtStart: true,
    fetchData: askAwaiting,
  });
  return {
    active: active.numbers,
    awaiting: awaiting.numbers.filter((number) => !active.numbers.includes(number)),
    answered,
    failed,
    retry: askActive,
  };
}
