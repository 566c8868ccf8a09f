/**
 * The number of wanted tickets, between one and the number left. When other buyers take tickets it
 * drops and the buyer is told (specification lines A:205 and A:283).
 */
import { useEffect, useState } from 'react';
import { clampCount } from './purchase-rules';

interface Choice {
  first: () => number;
  /** The tickets that can be bought here, including the buyer's own reservation. */
  available: number;
  most: number;
  /**
   * Taken tickets that may be this buyer's own, because the server has not answered yet. The count
   * does not drop for them.
   */
  coming: number;
}

export function useCount({ first, available, most, coming }: Choice) {
  const [count, setCount] = useState(first);
  const [note, setNote] = useState<string | null>(null);
  useEffect(() => {
    if (available === 0 || count <= available + coming) return;
    setCount(clampCount(count, available, most));
    setNote(`Only ${available} left – quantity changed`);
  }, [available, coming, count, most]);
  const change = (next: number) => {
    setNote(null);
    setCount(clampCount(next, Math.max(1, available), most));
  };
  return { count, note, change };
}
