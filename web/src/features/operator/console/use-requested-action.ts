import { useAtom } from 'jotai';
import { useEffect } from 'react';
import { errandAtom, type Errand } from './console-atoms';

/** Runs the action that the command menu requested for this section, once. */
export function useErrand(what: Errand, run: () => void): void {
  const [errand, setErrand] = useAtom(errandAtom);
  useEffect(() => {
    if (errand !== what) return;
    setErrand(null);
    run();
  });
}
