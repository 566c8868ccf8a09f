/** Doing something: with the operator's proof when the server wants it, and with a toast when it fails. */
import { useSetAtom, useStore } from 'jotai';
import { useCallback, useState } from 'react';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { Declined, isOver, needsProof, needsSecondFactor, said } from './refusals';
import { askProofAtom, sessionOverAtom } from './session-atoms';

/** Sends a write; asks for a code first if the server says so, then sends the same again. */
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
  /** The toast's title when it fails, and its text when the server says nothing. */
  failed: string;
  failedText?: string;
  /** The server's message is shown beside a fixed text only where the specification leaves the text open. */
  fixed?: boolean;
}

export interface Doing {
  busy: boolean;
  /** What went wrong last, to stand beside the control; null once it is tried again. */
  trouble: string | null;
  /** True when it was done. */
  run: (act: () => Promise<void>, words: Words) => Promise<boolean>;
}

/** One thing at a time: the control says that it is busy, keeps its label, and failures are said twice (D12). */
export function useDoing(): Doing {
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
