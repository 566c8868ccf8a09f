import { useEffect, useState } from 'react';
import { fetchPaidTickets } from '@/api/endpoints/operator';
import type { Anomaly, PaidTickets } from '@/api/wire-operator';
import { needsCustomerDetails } from './anomalies';

/**
 * Returns the tickets that the payment of a missing ticket was made for; null until they are
 * known.
 */
export function usePaidTickets({
  id,
  type,
  resolved,
}: Pick<Anomaly, 'id' | 'type' | 'resolved'>): PaidTickets | null {
  const [loaded, setLoaded] = useState<{ id: string; paid: PaidTickets } | null>(null);
  const isWanted = needsCustomerDetails({ type }) && !resolved;
  useEffect(() => {
    if (!isWanted) return undefined;
    let current = true;
    fetchPaidTickets(id).then(
      (paid) => current && setLoaded({ id, paid }),
      () => {},
    );
    return () => {
      current = false;
    };
  }, [id, isWanted]);
  return loaded?.id === id ? loaded.paid : null;
}
