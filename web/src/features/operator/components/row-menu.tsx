import { useEffect, useId, useRef, useState, type CSSProperties, type KeyboardEvent } from 'react';

export interface RowMenuItem {
  label: string;
  onChoose: () => void;
  /** What a dangerous or unavailable action does, or why it is not possible. */
  note?: string | null;
  /** Whether the action is not possible now. The note says why. */
  isOff?: boolean;
  /** Whether the action cannot be undone. Dangerous actions come last, after a line. */
  isDanger?: boolean;
}

const MENU_WIDTH_PX = 260;
const SCREEN_MARGIN_PX = 8;

/** Places the menu below its button, or above it near the lower edge of the window. */
function menuPosition(button: DOMRect): CSSProperties {
  const left = Math.max(
    SCREEN_MARGIN_PX,
    Math.min(button.right, window.innerWidth - SCREEN_MARGIN_PX) - MENU_WIDTH_PX,
  );
  return button.bottom > window.innerHeight / 2
    ? { left, bottom: window.innerHeight - button.top + 4 }
    : { left, top: button.bottom + 4 };
}

/**
 * The ⋯ menu of a table row. It has a fixed position, because the table clips what leaves it, and
 * follows its button when the page scrolls. Arrow keys move inside it. Escape or a press outside
 * closes it.
 */
export function RowMenu({ of, items }: { of: string; items: readonly RowMenuItem[] }) {
  const [position, setPosition] = useState<CSSProperties | null>(null);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
  const isOpen = position !== null;
  const entries = () => [
    ...(root.current?.querySelectorAll<HTMLElement>('[role="menuitem"]') ?? []),
  ];
  const close = (returnsFocus: boolean) => {
    setPosition(null);
    if (returnsFocus) button.current?.focus();
  };
  useEffect(() => {
    if (!isOpen) return;
    entries()[0]?.focus({ preventScroll: true });
    const onPress = (event: PointerEvent) => {
      if (!root.current?.contains(event.target as Node)) setPosition(null);
    };
    const onScroll = () => {
      const box = button.current?.getBoundingClientRect();
      if (box) setPosition(menuPosition(box));
    };
    document.addEventListener('pointerdown', onPress);
    document.addEventListener('scroll', onScroll, true);
    return () => {
      document.removeEventListener('pointerdown', onPress);
      document.removeEventListener('scroll', onScroll, true);
    };
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent) => {
    // The keys of the table's rows do not apply inside the menu.
    event.stopPropagation();
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
    else if (event.key === 'Tab') setPosition(null);
    if (to !== undefined || event.key === 'Escape') event.preventDefault();
  };
  return (
    <div ref={root}>
      <button
        ref={button}
        type="button"
        className="icon-btn ops-row-menu-btn"
        aria-label={`Actions for ${of}`}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={(event) =>
          setPosition(isOpen ? null : menuPosition(event.currentTarget.getBoundingClientRect()))
        }
      >
        <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" fill="currentColor">
          <circle cx="5" cy="12" r="2" />
          <circle cx="12" cy="12" r="2" />
          <circle cx="19" cy="12" r="2" />
        </svg>
      </button>
      {position ? (
        <div
          className="ops-row-menu"
          role="menu"
          id={id}
          aria-label={`Actions for ${of}`}
          style={{ ...position, width: MENU_WIDTH_PX }}
          onKeyDown={onKeyDown}
        >
          {items.map(({ label, onChoose, note, isOff = false, isDanger = false }) => (
            <button
              key={label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              aria-disabled={isOff || undefined}
              className={isDanger ? 'is-danger' : undefined}
              onClick={() => {
                if (isOff) return;
                close(true);
                onChoose();
              }}
            >
              {label}
              {note ? <small>{note}</small> : null}
            </button>
          ))}
        </div>
      ) : null}
    </div>
  );
}
