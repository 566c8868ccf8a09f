import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect } from 'react';
import { AT } from '@/api/endpoints/club';
import type { OwnDraw } from '@/api/wire-club';
import { drawAtom, receiveDrawsAtom } from '@/features/shared-live/live-atoms';
import { useTopic } from '@/features/shared-live/use-live';
import { useAnswer, type Answer } from '../data/use-answer';

/** One of the club's draws as its owner sees it, its counts live. */
export function useOwnDraw(number: number): Answer<OwnDraw> {
  const answer = useAnswer<OwnDraw>(AT.draw(number), { every: 10_000, topic: `draw:${number}` });
  const receive = useSetAtom(receiveDrawsAtom);
  const live = useAtomValue(drawAtom(number));
  useTopic(`draw:${number}`);
  useEffect(() => {
    if (answer.data) receive([answer.data]);
  }, [answer.data, receive]);
  return { ...answer, data: answer.data && live ? { ...answer.data, ...live } : answer.data };
}
