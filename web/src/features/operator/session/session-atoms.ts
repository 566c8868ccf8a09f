import { atom } from 'jotai';

/** The server no longer knows us. */
export const sessionOverAtom = atom(false);

interface Waiting {
  proven: () => void;
  declined: () => void;
}

/** What waits for the operator's code. */
export const proofAtom = atom<Waiting | null>(null);

/** Asks for a code; settles when it was right, fails when the operator says no. */
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
