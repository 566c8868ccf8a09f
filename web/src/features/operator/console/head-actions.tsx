import { useLayoutEffect, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';

export const HEAD_ACTIONS = 'ops-head-actions';

/** Places a section's buttons in the header beside the title. */
export function HeadActions({ children }: { children: ReactNode }) {
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  useLayoutEffect(() => setSlot(document.getElementById(HEAD_ACTIONS)), []);
  return slot ? createPortal(children, slot) : null;
}
