/** Loads the sold cells of a draw. Repeats the request every 30 seconds until they are revealed. */
import { useCallback, useEffect, useState } from 'react';
import { fetchTickets } from '@/api/endpoints/buyer';
import { soldCellsOf } from './result-grid';

const SOLD_CELLS_REQUEST_INTERVAL_MS = 30_000;

export interface SoldCells {
  /** Null until the cells are loaded and revealed. */
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
        setSold(soldCellsOf(tickets));
        setFailed(false);
      },
      () => setFailed(true),
    );
  }, [drawNumber]);
  useEffect(ask, [ask]);
  // Repeats a failed request, because a board has no user to press a retry button. Repeats a
  // response without pairs, because a result entered before kick-off is revealed at kick-off.
  const incomplete = failed || sold === null;
  useEffect(() => {
    if (!incomplete) return;
    const timer = setInterval(ask, SOLD_CELLS_REQUEST_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [incomplete, ask]);
  return { sold, failed, retry: ask };
}
