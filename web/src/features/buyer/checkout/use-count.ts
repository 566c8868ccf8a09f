/** How many tickets are wanted, kept between one and what is left; when others were quicker it drops, and says so (A:205, A:283). */
import { useEffect, useState } from 'react';
import { clampCount } from './purchase-rules';

interface Choice {
  first: () => number;
  /** What can be bought here, one's own reservation among it. */
  available: number;
  most: number;
  /** Taken tickets that may be this buyer's own, because the server has not answered yet: for them the count does not drop. */
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
