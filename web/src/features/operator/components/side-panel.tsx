import { useEffect, useId, useRef, useSyncExternalStore, type ReactNode } from 'react';
import { Dialog } from '@/shared/ui/dialog';
import { CloseIcon } from '@/shared/ui/icons';

const DOCKED_PANEL_MEDIA_QUERY = '(min-width: 1180px)';

const subscribeToConsoleWidth = (changed: () => void) => {
  const query = window.matchMedia(DOCKED_PANEL_MEDIA_QUERY);
  query.addEventListener('change', changed);
  return () => query.removeEventListener('change', changed);
};

export const useIsPanelDocked = (): boolean =>
  useSyncExternalStore(
    subscribeToConsoleWidth,
    () => window.matchMedia(DOCKED_PANEL_MEDIA_QUERY).matches,
  );

interface SidePanelProps {
  title: string;
  /** Key of the displayed item. A new key moves focus to the heading. */
  itemKey: string;
  onClose: () => void;
  children: ReactNode;
}

/**
 * Details of the selected item: beside the list on wide screens, a drawer above the list on narrow
 * ones.
 */
export function SidePanel({ title, itemKey, onClose, children }: SidePanelProps) {
  const wide = useIsPanelDocked();
  if (!wide)
    return (
      <Dialog title={title} open onClose={onClose} kind="drawer">
        {children}
      </Dialog>
    );
  return (
    <DockedPanel key={itemKey} title={title} itemKey={itemKey} onClose={onClose}>
      {children}
    </DockedPanel>
  );
}

function DockedPanel({ title, onClose, children }: SidePanelProps) {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <section
      className="card ops-docked-panel"
      role="dialog"
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <div className="sheet-head">
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" className="icon-btn" aria-label="Close" onClick={onClose}>
          <CloseIcon />
        </button>
      </div>
      <div className="sheet-body">{children}</div>
    </section>
  );
}
