import { useAtom } from 'jotai';
import { useEffect } from 'react';
import { requestedActionAtom, type ConsoleAction } from './console-atoms';

/** Runs the action that the command menu requested for this section, once. */
export function useRunRequestedAction(action: ConsoleAction, run: () => void): void {
  const [requested, setRequested] = useAtom(requestedActionAtom);
  useEffect(() => {
    if (requested !== action) return;
    setRequested(null);
    run();
  });
}
