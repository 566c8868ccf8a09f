import { useMenu } from '@/shared/ui/use-menu';
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
  const { isOpen, root, button, id, close, onKeyDown, toggle } = useMenu();
  const choose = (item: ActionsMenuItem) => {
    close({ returnsFocus: true });
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
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={toggle}
      >
        <MoreIcon />
      </button>
      {isOpen ? (
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
                onClick={() => close({ returnsFocus: false })}
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
