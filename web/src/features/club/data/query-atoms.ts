import { atom } from 'jotai';

/** Cache of the last response per path. Entries do not expire; a newer response replaces them. */
export const responseByPathAtom = atom<Readonly<Record<string, unknown>>>({});

export const cacheResponseAtom = atom(null, (get, set, path: string, response: unknown) =>
  set(responseByPathAtom, { ...get(responseByPathAtom), [path]: response }),
);

/** Clears the cache, so that the next user does not see the previous user's data. */
export const clearResponsesAtom = atom(null, (_get, set) => set(responseByPathAtom, {}));

/** Counts the changes per path. Components that show the path reload when its count changes. */
export const changeCountByPathAtom = atom<Readonly<Record<string, number>>>({});
export const markPathsChangedAtom = atom(null, (get, set, ...paths: string[]) => {
  const next = { ...get(changeCountByPathAtom) };
  for (const path of paths) next[path] = (next[path] ?? 0) + 1;
  set(changeCountByPathAtom, next);
});
