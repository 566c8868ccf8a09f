/**
 * Row shortcuts: J and K move, Enter opens the row, E starts the row's action. They work only while
 * a row has focus. The letters can be switched off (WCAG 2.1.4).
 */
import { useAtomValue } from 'jotai';
import { useState, type KeyboardEvent } from 'react';
import { shortcutsEnabledAtom } from '../console/console-atoms';

export interface RowKeyboardHandlers {
  onOpen?: (index: number) => void;
  onAct?: (index: number) => void;
}

const nextRowIndexByKey: Record<string, (at: number, count: number) => number> = {
  ArrowDown: (at, count) => Math.min(at + 1, count - 1),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_at, count) => count - 1,
};

const ARROW_KEY_OF_LETTER: Record<string, string> = { j: 'ArrowDown', k: 'ArrowUp' };

export function useRowKeyboardNavigation(count: number, { onOpen, onAct }: RowKeyboardHandlers) {
  const lettersOn = useAtomValue(shortcutsEnabledAtom);
  const [chosen, setChosen] = useState(0);
  const current = Math.min(chosen, Math.max(0, count - 1));

  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.metaKey || event.ctrlKey || event.altKey) return;
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-row]');
    if (!row || !event.currentTarget.contains(row)) return;
    const typing = (event.target as HTMLElement).matches(
      'input:not([type=checkbox]), select, textarea',
    );
    if (typing) return;
    const at = Number(row.dataset.row);
    const key = lettersOn ? (ARROW_KEY_OF_LETTER[event.key.toLowerCase()] ?? event.key) : event.key;
    const step = nextRowIndexByKey[key];
    if (step) {
      event.preventDefault();
      const next = step(at, count);
      setChosen(next);
      event.currentTarget.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus();
    } else if (key === 'Enter' && event.target === row && onOpen) {
      event.preventDefault();
      onOpen(at);
    } else if (lettersOn && key.toLowerCase() === 'e' && onAct) {
      event.preventDefault();
      onAct(at);
    }
  };

  return {
    onKeyDown,
    tabIndexOf: (index: number) => (index === current ? 0 : -1),
    onFocusRow: setChosen,
  };
}
