/** Which cells were sold, once a draw's pairs are revealed; asked for until it is known. */
import { useCallback, useEffect, useState } from 'react';
import { fetchTickets } from '@/api/endpoints/buyer';
import { soldCells } from './result-grid';

const AGAIN_MS = 30_000;

export interface SoldCells {
  /** Null while it is not known, or not revealed. */
  sold: ReadonlySet<number> | null;
  failed: boolean;
  retry: () => void;
}

export function useSoldCells(drawNumber: number): SoldCells {
  const [sold, setSold] = useState<ReadonlySet<number> | null>(null);
  const [failed, setFailed] = useState(false);
  const ask = useCallback(() => {
    fetchTickets(drawNumber).then(
      (tickets) => {
        setSold(soldCells(tickets));
        setFailed(false);
      },
      () => setFailed(true),
    );
  }, [drawNumber]);
  useEffect(ask, [ask]);
  // A board has nobody to press the button.
  useEffect(() => {
    if (!failed) return;
    const timer = setInterval(ask, AGAIN_MS);
    return () => clearInterval(timer);
  }, [failed, ask]);
  return { sold, failed, retry: ask };
}
