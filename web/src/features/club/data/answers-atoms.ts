import { atom } from 'jotai';

/** The last answer of each address asked; never stale by itself, asked for again by polls and after changes. */
export const answersAtom = atom<Readonly<Record<string, unknown>>>({});

export const keepAnswerAtom = atom(null, (get, set, path: string, answer: unknown) =>
  set(answersAtom, { ...get(answersAtom), [path]: answer }),
);

/** What one club saw is nothing for the next to see. */
export const forgetAnswersAtom = atom(null, (_get, set) => set(answersAtom, {}));

/** Counts changes of an address, so that whoever shows it asks again. */
export const changesAtom = atom<Readonly<Record<string, number>>>({});
export const changedAtom = atom(null, (get, set, ...paths: string[]) => {
  const next = { ...get(changesAtom) };
  for (const path of paths) next[path] = (next[path] ?? 0) + 1;
  set(changesAtom, next);
});
