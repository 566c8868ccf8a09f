import { useEffect, useState } from 'react';
import { forgetStored, readStored, writeStored } from '@/shared/storage';
import { EMPTY_DRAW, type DrawFields } from './draw-rules';

/** What is typed survives a reload, in this window only, until the draw is made. */
export function useDraft(club: number) {
  const key = `draw_draft:${club}`;
  const [kept] = useState(() => readStored('session', key) as Partial<DrawFields> | null);
  const [fields, setFields] = useState<DrawFields>({ ...EMPTY_DRAW, ...kept });
  const [dirty, setDirty] = useState(kept !== null);
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
