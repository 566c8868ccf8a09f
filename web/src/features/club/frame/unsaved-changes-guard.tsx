import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { ConfirmDialog } from '@/shared/ui/confirm-dialog';

/**
 * Asks for confirmation before unsaved work is lost: with our dialog for links, with the browser's
 * when the window closes.
 */
export function UnsavedChangesGuard({ dirty }: { dirty: boolean }) {
  const [destination, setDestination] = useState<string | null>(null);
  const [, navigate] = useLocation();
  useEffect(() => {
    if (!dirty) return;
    const onClick = (event: MouseEvent) => {
      const link = (event.target as Element | null)?.closest?.('a[href]');
      if (
        !(link instanceof HTMLAnchorElement) ||
        link.target === '_blank' ||
        event.ctrlKey ||
        event.metaKey
      )
        return;
      if (link.origin !== window.location.origin || link.pathname === window.location.pathname)
        return;
      event.preventDefault();
      event.stopPropagation();
      setDestination(link.pathname + link.search);
    };
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    document.addEventListener('click', onClick, true);
    window.addEventListener('beforeunload', onUnload);
    return () => {
      document.removeEventListener('click', onClick, true);
      window.removeEventListener('beforeunload', onUnload);
    };
  }, [dirty]);
  return (
    <ConfirmDialog
      title="Leave without saving?"
      open={destination !== null}
      confirm="Leave"
      cancel="Stay here"
      danger
      onCancel={() => setDestination(null)}
      onConfirm={() => destination && navigate(destination)}
    >
      <p>What you changed on this page has not been saved.</p>
    </ConfirmDialog>
  );
}
