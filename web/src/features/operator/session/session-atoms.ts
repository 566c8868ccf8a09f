import { atom } from 'jotai';

/** Whether the server has ended the session. */
export const sessionOverAtom = atom(false);

interface Waiting {
  proven: () => void;
  declined: () => void;
}

/** The request that waits for the operator's code. */
export const proofAtom = atom<Waiting | null>(null);

/** Asks for a code. Resolves when it is correct; rejects when the operator cancels. */
export const askProofAtom = atom(
  null,
  (get, set, declined: () => Error) =>
    new Promise<void>((resolve, reject) => {
      get(proofAtom)?.declined();
      set(proofAtom, {
        proven: () => (set(proofAtom, null), resolve()),
        declined: () => (set(proofAtom, null), reject(declined())),
      });
    }),
);
