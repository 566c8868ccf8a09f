/** Cache of the newest response to each of the console's queries. */
import { atom, type PrimitiveAtom } from 'jotai';
import { Problem } from '@/api/http';
import type { OpsNews } from '@/api/wire-platform';
import { noteAnswerAtom, topicDataAtom } from '@/features/shared-live/live-atoms';
import { family } from '@/shared/atom-family';
import { isOver } from '../session/error-kinds';
import { sessionOverAtom } from '../session/session-atoms';
import { QUESTIONS, type QuestionName } from './queries';

export interface CachedAnswer {
  data: unknown;
  error: Error | null;
}

const NOTHING: CachedAnswer = { data: undefined, error: null };
/** Sequence number of the latest request per query. A response with an older number is dropped. */
const turnAtom = family<QuestionName, PrimitiveAtom<number>>(() => atom(0));
export const answerAtom = family<QuestionName, PrimitiveAtom<CachedAnswer>>(() =>
  atom<CachedAnswer>(NOTHING),
);

/**
 * Sends the query now. The old data stays visible until the response; a failure keeps it and
 * records the error.
 */
export const askAtom = atom(null, async (get, set, name: QuestionName): Promise<void> => {
  const turn = get(turnAtom(name)) + 1;
  set(turnAtom(name), turn);
  const overtaken = () => get(turnAtom(name)) !== turn;
  try {
    const data = await QUESTIONS[name].ask();
    set(noteAnswerAtom);
    if (!overtaken()) set(answerAtom(name), { data, error: null });
  } catch (error) {
    if (isOver(error)) set(sessionOverAtom, true);
    // An error response also proves that the server is reachable.
    if (error instanceof Problem) set(noteAnswerAtom);
    if (!overtaken()) set(answerAtom(name), { ...get(answerAtom(name)), error: error as Error });
    throw error;
  }
});

/** Stores the response of a write as the newest data, without another request. */
export const learnAtom = atom(
  null,
  (get, set, name: QuestionName, change: (data: unknown) => unknown) => {
    set(turnAtom(name), get(turnAtom(name)) + 1);
    set(answerAtom(name), { data: change(get(answerAtom(name)).data), error: null });
  },
);

export const newsAtom = atom((get) => get(topicDataAtom('ops')) as OpsNews | undefined);
/** The revision counter of one list, as sent by the socket. */
export const revisionAtom = family((list: keyof OpsNews['revisions']) =>
  atom((get) => get(newsAtom)?.revisions?.[list]),
);
