/**
 * The number of tickets that the buyer wants, from one to the number left. When other buyers take
 * tickets, the number drops and a message says so (specification lines A:205 and A:283).
 */
import { useEffect, useState } from 'react';
import { clampTicketCount } from './purchase-rules';

interface TicketCountOptions {
  initial: () => number;
  /** The tickets that can be bought here, including the buyer's own reservation. */
  available: number;
  maximum: number;
  /** Held tickets that may be this buyer's own. They do not reduce the count. */
  possiblyOwn: number;
}

export function useTicketCount({ initial, available, maximum, possiblyOwn }: TicketCountOptions) {
  const [count, setCount] = useState(initial);
  const [note, setNote] = useState<string | null>(null);
  useEffect(() => {
    if (available === 0 || count <= available + possiblyOwn) return;
    setCount(clampTicketCount(count, available, maximum));
    setNote(`Only ${available} left – quantity changed`);
  }, [available, possiblyOwn, count, maximum]);
  const change = (next: number) => {
    setNote(null);
    setCount(clampTicketCount(next, Math.max(1, available), maximum));
  };
  return { count, note, change };
}
