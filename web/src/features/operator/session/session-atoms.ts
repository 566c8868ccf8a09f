import { atom } from 'jotai';

/** Whether a response said that the session has ended or lacks its second factor. */
export const sessionExpiredAtom = atom(false);

interface PendingReauthentication {
  confirm: () => void;
  decline: () => void;
}

/** The request that waits for the operator's code. */
export const pendingReauthenticationAtom = atom<PendingReauthentication | null>(null);

/**
 * Asks the operator for a code. Resolves when the code is correct; rejects when the operator
 * cancels.
 */
export const requestReauthenticationAtom = atom(
  null,
  (get, set, decline: () => Error) =>
    new Promise<void>((resolve, reject) => {
      get(pendingReauthenticationAtom)?.decline();
      set(pendingReauthenticationAtom, {
        confirm: () => (set(pendingReauthenticationAtom, null), resolve()),
        decline: () => (set(pendingReauthenticationAtom, null), reject(decline())),
      });
    }),
);
