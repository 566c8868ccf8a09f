/**
 * Hooks to read responses and keep them current: the socket announces changes, and polling backs
 * it up.
 */
import { useAtomValue, useSetAtom } from 'jotai';
import { useCallback, useEffect, useRef } from 'react';
import { usePoll } from '@/features/shared-live/use-live';
import { answerAtom, askAtom, learnAtom, revisionAtom } from './query-atoms';
import { QUESTIONS, type AnswerTo, type Question, type QuestionName } from './queries';

export interface ConsoleQuery<Data> {
  data: Data | undefined;
  error: Error | null;
  again: () => Promise<void>;
}

export function useAnswer<Name extends QuestionName>(name: Name): ConsoleQuery<AnswerTo<Name>> {
  const { data, error } = useAtomValue(answerAtom(name));
  const ask = useSetAtom(askAtom);
  const again = useCallback(() => ask(name), [ask, name]);
  return { data: data as AnswerTo<Name> | undefined, error, again };
}

/** Repeats several queries; fails when one of them fails. */
export function useAskAgain(): (...names: readonly QuestionName[]) => Promise<void> {
  const ask = useSetAtom(askAtom);
  return useCallback(
    async (...names: readonly QuestionName[]) => {
      await Promise.all(names.map((name) => ask(name)));
    },
    [ask],
  );
}

export function useLearn() {
  const learn = useSetAtom(learnAtom);
  return useCallback(
    <Name extends QuestionName>(
      name: Name,
      change: (data: AnswerTo<Name> | undefined) => AnswerTo<Name> | undefined,
    ) => learn(name, change as (data: unknown) => unknown),
    [learn],
  );
}

/** Keeps one query current while mounted. */
export function Asking({ name }: { name: QuestionName }) {
  const { every, follows }: Question<unknown> = QUESTIONS[name];
  const ask = useSetAtom(askAtom);
  const revision = useAtomValue(revisionAtom(follows ?? 'audit'));
  const heard = useRef(revision);
  usePoll({ every, topic: follows ? 'ops' : null, atOnce: true, ask: () => ask(name) });
  useEffect(() => {
    const news = heard.current !== undefined && revision !== heard.current;
    heard.current = revision;
    if (follows && news) void ask(name).catch(() => {});
  }, [revision, follows, ask, name]);
  return null;
}
