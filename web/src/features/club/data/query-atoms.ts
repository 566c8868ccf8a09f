import { atom } from 'jotai';

/** Cache of the last response per path. Entries do not expire; polls and changes replace them. */
export const answersAtom = atom<Readonly<Record<string, unknown>>>({});

export const keepAnswerAtom = atom(null, (get, set, path: string, answer: unknown) =>
  set(answersAtom, { ...get(answersAtom), [path]: answer }),
);

/** Clears the cache, so that the next user does not see the previous user's data. */
export const forgetAnswersAtom = atom(null, (_get, set) => set(answersAtom, {}));

/** Counts the changes per path. Components that show the path reload when its count changes. */
export const changesAtom = atom<Readonly<Record<string, number>>>({});
export const changedAtom = atom(null, (get, set, ...paths: string[]) => {
  const next = { ...get(changesAtom) };
  for (const path of paths) next[path] = (next[path] ?? 0) + 1;
  set(changesAtom, next);
});
