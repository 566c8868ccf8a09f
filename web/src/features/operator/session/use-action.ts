/** Hooks for writes: ask for a code when the server requires it, and show a toast on failure. */
import { useSetAtom, useStore } from 'jotai';
import { useCallback, useState } from 'react';
import { isSessionExpiredError } from '@/api/session-expired';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import {
  ReauthenticationDeclined,
  needsReauthentication,
  needsSecondFactor,
  serverMessage,
} from './error-kinds';
import { requestReauthenticationAtom, sessionExpiredAtom } from './session-atoms';

/**
 * Returns a function that sends a write. If the server requires a code, it asks for one and sends
 * the write again.
 */
export function useReauthenticatingCall() {
  const store = useStore();
  return useCallback(
    async <Made>(act: () => Promise<Made>): Promise<Made> => {
      try {
        return await act();
      } catch (error) {
        if (isSessionExpiredError(error) || needsSecondFactor(error))
          store.set(sessionExpiredAtom, true);
        if (!needsReauthentication(error)) throw error;
      }
      await store.set(requestReauthenticationAtom, () => new ReauthenticationDeclined());
      return await act();
    },
    [store],
  );
}

export interface FailureText {
  /** Title of the failure toast. */
  failed: string;
  /** Text of the failure toast when the server sends no message. */
  failedText?: string;
  /**
   * Whether to show only the fixed text. The server's message is shown only where the specification
   * leaves the text open.
   */
  fixed?: boolean;
}

export interface ActionState {
  busy: boolean;
  /** The last error message for display beside the control; null after the next action starts. */
  error: string | null;
  /** Runs the write; true when it succeeded. */
  run: (act: () => Promise<void>, text: FailureText) => Promise<boolean>;
}

/**
 * Runs an action. `busy` is true meanwhile; a failure is kept for display beside the control and
 * shown as a toast (interface decision D12).
 */
export function useActionWithFeedback(): ActionState {
  const act = useReauthenticatingCall();
  const toast = useSetAtom(showToastAtom);
  const [busy, setBusy] = useState(false);
  const [lastError, setLastError] = useState<string | null>(null);
  const run = useCallback(
    async (write: () => Promise<void>, { failed, failedText = '', fixed = false }: FailureText) => {
      setBusy(true);
      setLastError(null);
      try {
        await act(write);
        return true;
      } catch (error) {
        if (error instanceof ReauthenticationDeclined) return false;
        const text = (fixed ? '' : serverMessage(error)) || failedText;
        toast({ bad: true, title: failed, text });
        setLastError(text ? `${failed}: ${text}` : failed);
        return false;
      } finally {
        setBusy(false);
      }
    },
    [act, toast],
  );
  return { busy, error: lastError, run };
}
