import { useEffect, useState } from 'react';
import { fetchPaidTickets } from '@/api/endpoints/operator';
import type { Anomaly, PaidTickets } from '@/api/wire-operator';
import { needsCustomer } from './anomalies';

/**
 * Returns the tickets that the payment of a missing ticket was made for; null until they are
 * known.
 */
export function usePaidTickets({
  id,
  type,
  resolved,
}: Pick<Anomaly, 'id' | 'type' | 'resolved'>): PaidTickets | null {
  const [known, setKnown] = useState<{ id: string; paid: PaidTickets } | null>(null);
  const isWanted = needsCustomer({ type }) && !resolved;
  useEffect(() => {
    if (!isWanted) return undefined;
    let current = true;
    fetchPaidTickets(id).then(
      (paid) => current && setKnown({ id, paid }),
      () => {},
    );
    return () => {
      current = false;
    };
  }, [id, isWanted]);
  return known?.id === id ? known.paid : null;
}
