import { useLayoutEffect, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';

export const HEADER_ACTIONS_ID = 'ops-head-actions';

/** Places a section's buttons in the header beside the title. */
export function HeaderActions({ children }: { children: ReactNode }) {
  const [slot, setSlot] = useState<HTMLElement | null>(null);
  useLayoutEffect(() => setSlot(document.getElementById(HEADER_ACTIONS_ID)), []);
  return slot ? createPortal(children, slot) : null;
}
