import { useEffect, useId, useRef, useState, type KeyboardEvent } from 'react';
import { MoreIcon } from './icons';

export interface ActionsMenuItem {
  label: string;
  /** Link target. An item has either a link or an action. */
  href?: string;
  onChoose?: () => void;
  /** Whether the link opens in a new tab. */
  away?: boolean;
  /** Why the item is disabled; null when it is enabled. */
  off?: string | null;
}

/**
 * The ⋯ menu of one row of a list. Arrow keys move inside the menu. Escape or an outside press
 * closes it; Escape returns focus to the button.
 */
export function ActionsMenu({ of, items }: { of: string; items: readonly ActionsMenuItem[] }) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const entries = () => [
    ...(root.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? []),
  ];
  const close = (back: boolean) => {
    setOpen(false);
    if (back) button.current?.focus();
  };
  useEffect(() => {
    if (!open) return;
    entries()[0]?.focus();
    const outside = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    document.addEventListener('pointerdown', outside);
    return () => document.removeEventListener('pointerdown', outside);
  }, [open]);
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
    else if (event.key === 'Escape') close(true);
    else if (event.key === 'Tab') setOpen(false);
    if (to !== undefined || event.key === 'Escape') event.preventDefault();
  };
  const choose = (item: ActionsMenuItem) => {
    close(true);
    item.onChoose?.();
  };
  return (
    <div className="menu" ref={root}>
      <button
        ref={button}
        type="button"
        className="icon-btn"
        aria-label={`Actions for ${of}`}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <MoreIcon />
      </button>
      {open ? (
        <div
          className="menu-list"
          role="menu"
          id={id}
          aria-label={`Actions for ${of}`}
          onKeyDown={onKeyDown}
        >
          {items.map((item) =>
            item.off ? (
              <button
                key={item.label}
                type="button"
                role="menuitem"
                aria-disabled="true"
                tabIndex={-1}
              >
                {item.label}
                <small>{item.off}</small>
              </button>
            ) : item.href ? (
              <a
                key={item.label}
                role="menuitem"
                tabIndex={-1}
                href={item.href}
                target={item.away ? '_blank' : undefined}
                rel={item.away ? 'noopener' : undefined}
                onClick={() => setOpen(false)}
              >
                {item.label}
              </a>
            ) : (
              <button
                key={item.label}
                type="button"
                role="menuitem"
                tabIndex={-1}
                onClick={() => choose(item)}
              >
                {item.label}
              </button>
            ),
          )}
        </div>
      ) : null}
    </div>
  );
}
