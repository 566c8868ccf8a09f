/** Searches on the server after typing pauses, and ignores results of older queries. */
import { useEffect, useState } from 'react';
import { searchOperatorConsole } from '@/api/endpoints/operator';
import type { SearchHit } from '@/api/wire-platform';

const SEARCH_DEBOUNCE_MS = 200;
const SEARCH_QUERY_CHARS_MIN = 2;

export function useSearchHits(query: string): readonly SearchHit[] {
  const [result, setResult] = useState<{ query: string; hits: readonly SearchHit[] }>({
    query: '',
    hits: [],
  });
  const trimmed = query.trim();
  useEffect(() => {
    if (trimmed.length < SEARCH_QUERY_CHARS_MIN) return;
    let current = true;
    const timer = setTimeout(() => {
      searchOperatorConsole(trimmed).then(
        (hits) => current && setResult({ query: trimmed, hits }),
        () => {},
      );
    }, SEARCH_DEBOUNCE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [trimmed]);
  return result.query === trimmed ? result.hits : [];
}
