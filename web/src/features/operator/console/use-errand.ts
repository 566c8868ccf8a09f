import { useAtom } from 'jotai';
import { useEffect } from 'react';
import { errandAtom, type Errand } from './console-atoms';

/** Does, once, what the command menu asked this section to do. */
export function useErrand(what: Errand, run: () => void): void {
  const [errand, setErrand] = useAtom(errandAtom);
  useEffect(() => {
    if (errand !== what) return;
    setErrand(null);
    run();
  });
}
