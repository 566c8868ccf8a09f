import { useAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { Dialog } from '@/shared/ui/dialog';
import { LoadFailed } from '@/shared/ui/load-failed';
import { commandMenuOpenAtom } from './console-atoms';

const loadPalette = async () => (await import('./command-palette')).CommandPalette;
type Palette = Awaited<ReturnType<typeof loadPalette>>;

/**
 * Loads the palette's file after the console, so that it is ready before the first use. React's own
 * `lazy` would lose the keys that are typed right after the opening.
 */
function usePalette(): { Palette: Palette | null; failed: boolean; retry: () => void } {
  const [palette, setPalette] = useState<Palette | null>(null);
  const [failed, setFailed] = useState(false);
  const [attempt, setAttempt] = useState(1);
  useEffect(() => {
    let current = true;
    setFailed(false);
    loadPalette().then(
      (loaded) => current && setPalette(() => loaded),
      () => current && setFailed(true),
    );
    return () => {
      current = false;
    };
  }, [attempt]);
  return { Palette: palette, failed, retry: () => setAttempt(attempt + 1) };
}

/** Command menu (⌘K or /): navigation, actions and search by keyboard. */
export function CommandMenu() {
  const [open, setOpen] = useAtom(commandMenuOpenAtom);
  const { Palette, failed, retry } = usePalette();
  return (
    <Dialog title="Search and commands" open={open} onClose={() => setOpen(false)}>
      {Palette ? <Palette onDone={() => setOpen(false)} /> : null}
      {!Palette && failed ? (
        <LoadFailed title="The search could not be loaded." onRetry={retry} />
      ) : null}
      {!Palette && !failed ? <span className="skeleton" style={{ height: 48 }} /> : null}
    </Dialog>
  );
}
