import { useAtom, useSetAtom } from 'jotai';
import { useEffect } from 'react';
import { Dialog } from '@/shared/ui/dialog';
import { CheckboxField } from '@/shared/ui/field';
import {
  commandMenuOpenAtom,
  shortcutsEnabledAtom,
  shortcutsDialogOpenAtom,
  soundEnabledAtom,
} from './console-atoms';

const SHORTCUT_LIST = [
  ['⌘ K', 'Search and commands'],
  ['/', 'Search'],
  ['?', 'This list'],
  ['J', 'Next row, while a table has focus'],
  ['K', 'Row before'],
  ['Enter', 'Details of the row'],
  ['E', 'Mark Resolved, or open its form'],
  ['Esc', 'Close'],
] as const;

const isTextInput = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches('input:not([type=checkbox]), textarea, select'));

/**
 * Handles ⌘K always. Handles / and ? while single-key shortcuts are on, no text field has focus and
 * no dialog is open.
 */
export function useConsoleShortcuts(): void {
  const [keysOn] = useAtom(shortcutsEnabledAtom);
  const setCommands = useSetAtom(commandMenuOpenAtom);
  const setShortcuts = useSetAtom(shortcutsDialogOpenAtom);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        setCommands(true);
        return;
      }
      if (
        !keysOn ||
        event.metaKey ||
        event.ctrlKey ||
        event.altKey ||
        isTextInput(event.target) ||
        document.querySelector('dialog[open]')
      )
        return;
      if (event.key !== '/' && event.key !== '?') return;
      event.preventDefault();
      if (event.key === '/') setCommands(true);
      else setShortcuts(true);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [keysOn, setCommands, setShortcuts]);
}

export function ShortcutsDialog() {
  const [open, setOpen] = useAtom(shortcutsDialogOpenAtom);
  const [keysOn, setKeysOn] = useAtom(shortcutsEnabledAtom);
  const [soundOn, setSoundOn] = useAtom(soundEnabledAtom);
  return (
    <Dialog title="Keyboard shortcuts" open={open} onClose={() => setOpen(false)}>
      <dl className="ops-keys">
        {SHORTCUT_LIST.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <CheckboxField id="keys-on" checked={keysOn} onChecked={setKeysOn}>
        Single keys act (/, ?, J, K, E)
      </CheckboxField>
      <CheckboxField id="sound-on" checked={soundOn} onChecked={setSoundOn}>
        A short sound for a new anomaly
      </CheckboxField>
    </Dialog>
  );
}

/** Names the keyboard shortcuts that work in the table above. */
export function TableShortcutHints({ act }: { act?: string }) {
  const [keysOn] = useAtom(shortcutsEnabledAtom);
  if (!keysOn) return null;
  return (
    <p className="ops-key-hints">
      <kbd>J</kbd> <kbd>K</kbd> move · <kbd>Enter</kbd> details ·{' '}
      {act ? (
        <>
          <kbd>E</kbd> {act} ·{' '}
        </>
      ) : null}
      <kbd>/</kbd> search · <kbd>?</kbd> shortcuts
    </p>
  );
}
