/** Which cells were sold, once a draw's pairs are revealed; asked for once. */
import { useEffect, useState } from 'react';
import { fetchTickets } from '@/api/endpoints/buyer';
import { soldCells } from './result-grid';

export function useSoldCells(drawNumber: number, wanted: boolean): ReadonlySet<number> | null {
  const [sold, setSold] = useState<ReadonlySet<number> | null>(null);
  useEffect(() => {
    if (!wanted) return;
    let current = true;
    void fetchTickets(drawNumber).then((tickets) => current && setSold(soldCells(tickets)), () => {});
    return () => {
      current = false;
    };
  }, [drawNumber, wanted]);
  return sold;
}
