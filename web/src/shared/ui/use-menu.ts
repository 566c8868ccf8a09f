import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';

/**
 * The behaviour of a button that opens a menu. The first item gets focus; arrow keys, Home and End move
 * inside the menu. Escape, Tab or a press outside closes it, and Escape returns the focus to the button.
 */
export function useMenu({ preventScroll = false }: { preventScroll?: boolean } = {}) {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const entries = () => [
    ...(root.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? []),
  ];
  const close = ({ returnsFocus }: { returnsFocus: boolean }) => {
    setOpen(false);
    if (returnsFocus) button.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    entries()[0]?.focus({ preventScroll });
    const onPress = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', onPress);
    return () => document.removeEventListener('pointerdown', onPress);
  }, [isOpen, preventScroll]);
  const onKeyDown = (event: KeyboardEvent) => {
    const all = entries();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const to = {
      ArrowDown: (at + 1) % all.length,
      ArrowUp: (at - 1 + all.length) % all.length,
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (to !== undefined) all[to]?.focus();
    else if (event.key === 'Escape') close({ returnsFocus: true });
    else if (event.key === 'Tab') setOpen(false);
    if (to !== undefined || event.key === 'Escape') event.preventDefault();
  };
  return { isOpen, root, button, id, close, onKeyDown, toggle: () => setOpen(!isOpen) };
}
