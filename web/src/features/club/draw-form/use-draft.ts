import { useEffect, useState } from 'react';
import { forgetStored, readStored, writeStored } from '@/shared/storage';
import { EMPTY_DRAW_FIELDS, type DrawFields } from './draw-rules';

/**
 * Keeps the typed draw in session storage until the draw is created, so that the input survives a
 * reload of this window.
 */
export function useDrawDraft(club: number) {
  const key = `draw_draft:${club}`;
  const [saved] = useState(() => readStored('session', key) as Partial<DrawFields> | null);
  const [fields, setFields] = useState<DrawFields>({ ...EMPTY_DRAW_FIELDS, ...saved });
  const [dirty, setDirty] = useState(saved !== null);
  useEffect(() => {
    if (dirty) writeStored('session', key, fields);
  }, [dirty, key, fields]);
  return {
    fields,
    dirty,
    change: (next: DrawFields) => {
      setFields(next);
      setDirty(true);
    },
    forget: () => {
      forgetStored('session', key);
      setDirty(false);
    },
  };
}
