import { useMemo, useState } from 'react';

/** Of these ids the ones that were not there when somebody began to look: what has come since. */
export function useNewcomers(ids: readonly string[]): ReadonlySet<string> {
  const [first] = useState(() => new Set(ids));
  return useMemo(() => new Set(ids.filter((id) => !first.has(id))), [ids, first]);
}
