/** Searches on the server after typing pauses, and ignores results of older queries. */
import { useEffect, useState } from 'react';
import { searchOperatorConsole } from '@/api/endpoints/operator';
import type { SearchHit } from '@/api/wire-platform';

const TYPING_PAUSE_MS = 200;
const QUERY_LENGTH_MIN = 2;

export function useSearchHits(query: string): readonly SearchHit[] {
  const [result, setResult] = useState<{ query: string; hits: readonly SearchHit[] }>({
    query: '',
    hits: [],
  });
  const trimmed = query.trim();
  useEffect(() => {
    if (trimmed.length < QUERY_LENGTH_MIN) return;
    let current = true;
    const timer = setTimeout(() => {
      searchOperatorConsole(trimmed).then(
        (hits) => current && setResult({ query: trimmed, hits }),
        () => {},
      );
    }, TYPING_PAUSE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [trimmed]);
  return result.query === trimmed ? result.hits : [];
}
