/** Hooks for writes: ask for a code when the server requires it, and show a toast on failure. */
import { useSetAtom, useStore } from 'jotai';
import { useCallback, useState } from 'react';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { Declined, isOver, needsProof, needsSecondFactor, said } from './refusals';
import { askProofAtom, sessionOverAtom } from './session-atoms';

/** Sends a write. Asks for a code if the server requires it, then sends the write again. */
export function useAct() {
  const store = useStore();
  return useCallback(
    async <Made>(act: () => Promise<Made>): Promise<Made> => {
      try {
        return await act();
      } catch (error) {
        if (isOver(error) || needsSecondFactor(error)) store.set(sessionOverAtom, true);
        if (!needsProof(error)) throw error;
      }
      await store.set(askProofAtom, () => new Declined());
      return await act();
    },
    [store],
  );
}

export interface Words {
  /** Title of the failure toast, and its text when the server sends no message. */
  failed: string;
  failedText?: string;
  /**
   * Whether to show only the fixed text. The server's message is shown only where the specification
   * leaves the text open.
   */
  fixed?: boolean;
}

export interface ActionState {
  busy: boolean;
  /** The last error message for display beside the control; null after the next start. */
  trouble: string | null;
  /** Runs the write; true when it succeeded. */
  run: (act: () => Promise<void>, words: Words) => Promise<boolean>;
}

/**
 * Runs one action at a time. The control shows that it is busy; failures appear beside it and as a
 * toast (interface decision D12).
 */
export function useDoing(): ActionState {
  const act = useAct();
  const toast = useSetAtom(showToastAtom);
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<string | null>(null);
  const run = useCallback(
    async (todo: () => Promise<void>, { failed, failedText = '', fixed = false }: Words) => {
      setBusy(true);
      setTrouble(null);
      try {
        await act(todo);
        return true;
      } catch (error) {
        if (error instanceof Declined) return false;
        const text = (fixed ? '' : said(error)) || failedText;
        toast({ bad: true, title: failed, text });
        setTrouble(text ? `${failed}: ${text}` : failed);
        return false;
      } finally {
        setBusy(false);
      }
    },
    [act, toast],
  );
  return { busy, trouble, run };
}
