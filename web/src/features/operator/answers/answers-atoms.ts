/** The newest answer to each of the console's questions, whoever asked it. */
import { atom, type PrimitiveAtom } from 'jotai';
import { Problem } from '@/api/http';
import type { OpsNews } from '@/api/wire-platform';
import { noteAnswerAtom, topicDataAtom } from '@/features/shared-live/live-atoms';
import { family } from '@/shared/family';
import { isOver } from '../session/refusals';
import { sessionOverAtom } from '../session/session-atoms';
import { QUESTIONS, type QuestionName } from './questions';

export interface Known {
  data: unknown;
  error: Error | null;
}

const NOTHING: Known = { data: undefined, error: null };
/** Which question is on its way for the how-manieth time: an answer that a later one has overtaken is dropped. */
const turnAtom = family<QuestionName, PrimitiveAtom<number>>(() => atom(0));
export const answerAtom = family<QuestionName, PrimitiveAtom<Known>>(() => atom<Known>(NOTHING));

/** Asks now. What is shown stays until the answer is here; a failure keeps it and says so. */
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
    // The server was heard, whatever it said.
    if (error instanceof Problem) set(noteAnswerAtom);
    if (!overtaken()) set(answerAtom(name), { ...get(answerAtom(name)), error: error as Error });
    throw error;
  }
});

/** Puts what a write has answered in its place without asking again. */
export const learnAtom = atom(
  null,
  (get, set, name: QuestionName, change: (data: unknown) => unknown) => {
    set(turnAtom(name), get(turnAtom(name)) + 1);
    set(answerAtom(name), { data: change(get(answerAtom(name)).data), error: null });
  },
);

export const newsAtom = atom((get) => get(topicDataAtom('ops')) as OpsNews | undefined);
/** The socket's counter of one list. */
export const revisionAtom = family((list: keyof OpsNews['revisions']) =>
  atom((get) => get(newsAtom)?.revisions?.[list]),
);
