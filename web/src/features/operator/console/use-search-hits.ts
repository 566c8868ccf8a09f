/** Searches on the server after typing pauses, and ignores results of older queries. */
import { useEffect, useState } from 'react';
import { search } from '@/api/endpoints/operator';
import type { SearchHit } from '@/api/wire-platform';

const REST_MS = 200;
const LETTERS_MIN = 2;

export function useFound(query: string): readonly SearchHit[] {
  const [found, setFound] = useState<{ query: string; hits: readonly SearchHit[] }>({
    query: '',
    hits: [],
  });
  const wanted = query.trim();
  useEffect(() => {
    if (wanted.length < LETTERS_MIN) return;
    let current = true;
    const timer = setTimeout(() => {
      search(wanted).then(
        (hits) => current && setFound({ query: wanted, hits }),
        () => {},
      );
    }, REST_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [wanted]);
  return found.query === wanted ? found.hits : [];
}
