import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect } from 'react';
import { CLUB_API_PATHS } from '@/api/endpoints/club';
import type { OwnDraw } from '@/api/wire-club';
import { drawAtom, receiveDrawsAtom } from '@/features/shared-live/live-atoms';
import { useTopicSubscription } from '@/features/shared-live/use-live';
import { useQuery, type PolledQuery } from '../data/use-query';

/** Loads one of the club's draws as its owner sees it, and merges the live counts into it. */
export function useOwnDraw(number: number): PolledQuery<OwnDraw> {
  const answer = useQuery<OwnDraw>(CLUB_API_PATHS.draw(number), {
    intervalMs: 10_000,
    topic: `draw:${number}`,
  });
  const receive = useSetAtom(receiveDrawsAtom);
  const live = useAtomValue(drawAtom(number));
  useTopicSubscription(`draw:${number}`);
  useEffect(() => {
    if (answer.data) receive([answer.data]);
  }, [answer.data, receive]);
  return { ...answer, data: answer.data && live ? { ...answer.data, ...live } : answer.data };
}
