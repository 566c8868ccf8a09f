import { useMemo, useState } from 'react';

/** Returns the ids that were not present when the component mounted. */
export function useNewRowIds(ids: readonly string[]): ReadonlySet<string> {
  const [first] = useState(() => new Set(ids));
  return useMemo(() => new Set(ids.filter((id) => !first.has(id))), [ids, first]);
}
