/**
 * Loads the club's own draws. The socket keeps their counts current; a poll every ten seconds adds
 * new draws and other changes.
 */
import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useMemo } from 'react';
import { CLUB_API_PATHS } from '@/api/endpoints/club';
import type { Draw } from '@/api/wire';
import type { ClubStats, DrawWithoutBuyers } from '@/api/wire-club';
import { liveStateAtom, nowAtom, receiveDrawsAtom } from '@/features/shared-live/live-atoms';
import { useTopicSubscription } from '@/features/shared-live/use-live';
import { useQuery } from '../data/use-query';
import { sortedDraws, drawListNameOf, type DrawListName } from './draw-labels';

export const DASHBOARD_POLL_INTERVAL_MS = 10_000;

export interface DashboardDraws {
  /** The draws of each list. Undefined until the first response. */
  draws: Record<DrawListName, Draw[]> | undefined;
  problem: unknown;
  retry: () => Promise<unknown>;
}

/**
 * Removes tickets without a buyer from a draw's count and prize. They are neither free nor sold
 * (decision F-3).
 */
export function withoutOrphanedTickets(
  draw: Draw,
  affected: readonly DrawWithoutBuyers[] | undefined,
): Draw {
  const own = affected?.find(({ drawNumber }) => drawNumber === draw.drawNumber);
  return own
    ? {
        ...draw,
        ticketsSold: draw.ticketsSold - own.ticketsWithoutBuyer,
        currentPrize: own.prize,
      }
    : draw;
}

export function useDashboardDraws(club: number): DashboardDraws {
  // Polls even while the socket is connected: a frame contains counts of known draws, but no new
  // draws and no changed names.
  const own = useQuery<Draw[]>(CLUB_API_PATHS.draws(club), {
    intervalMs: DASHBOARD_POLL_INTERVAL_MS,
  });
  const awaiting = useQuery<Draw[]>(CLUB_API_PATHS.awaiting(club), {
    intervalMs: DASHBOARD_POLL_INTERVAL_MS,
  });
  const stats = useQuery<ClubStats>(CLUB_API_PATHS.stats(club));
  const live = useAtomValue(liveStateAtom).draws;
  const receive = useSetAtom(receiveDrawsAtom);
  const now = useAtomValue(nowAtom);
  useTopicSubscription('draws');
  useEffect(() => {
    if (own.data) receive(own.data);
  }, [own.data, receive]);
  const all = useMemo(() => {
    if (!own.data) return undefined;
    const ownNumbers = new Set(own.data.map((draw) => draw.drawNumber));
    // Adds the club's draws that await a result and are missing from its own list.
    const more = (awaiting.data ?? []).filter(
      (draw) => draw.clubId === club && !ownNumbers.has(draw.drawNumber),
    );
    return [...own.data, ...more];
  }, [own.data, awaiting.data, club]);
  if (!all) return { draws: undefined, problem: own.problem, retry: own.retry };
  const fresh = all.map((draw) =>
    withoutOrphanedTickets(
      { ...draw, ...live[draw.drawNumber], archived: draw.archived },
      stats.data?.drawsWithoutBuyers,
    ),
  );
  const of = (list: DrawListName) =>
    sortedDraws(
      fresh.filter((draw) => drawListNameOf(draw, now) === list),
      list,
    );
  return {
    draws: { active: of('active'), awaiting: of('awaiting'), completed: of('completed') },
    problem: own.problem,
    retry: own.retry,
  };
}
