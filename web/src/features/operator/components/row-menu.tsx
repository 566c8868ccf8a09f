import { useLayoutEffect, useState, type CSSProperties } from 'react';
import { useMenu } from '@/shared/ui/use-menu';

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
  const { isOpen, root, button, id, close, onKeyDown, toggle } = useMenu({ preventScroll: true });
  const [position, setPosition] = useState<CSSProperties>({});
  useLayoutEffect(() => {
    if (!isOpen) return;
    const place = () => {
      const box = button.current?.getBoundingClientRect();
      if (box) setPosition(menuPosition(box));
    };
    place();
    document.addEventListener('scroll', place, true);
    return () => document.removeEventListener('scroll', place, true);
  }, [isOpen, button]);
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
        onClick={toggle}
      >
        <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" fill="currentColor">
          <circle cx="5" cy="12" r="2" />
          <circle cx="12" cy="12" r="2" />
          <circle cx="19" cy="12" r="2" />
        </svg>
      </button>
      {isOpen ? (
        <div
          className="ops-row-menu"
          role="menu"
          id={id}
          aria-label={`Actions for ${of}`}
          style={{ ...position, width: MENU_WIDTH_PX }}
          onKeyDown={(event) => {
            // The keys of the table's rows do not apply inside the menu.
            event.stopPropagation();
            onKeyDown(event);
          }}
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
                close({ returnsFocus: true });
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
