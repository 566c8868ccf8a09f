import { useState } from 'react';
import {
  deleteFooterItem,
  deleteFooterMenu,
  updateFooterItem,
  updateFooterMenu,
} from '@/api/endpoints/operator';
import type { AdminFooterMenu, FooterItem } from '@/api/wire-operator';
import { OPERATOR_TEXTS as O } from '@/shared/strings-operator';
import { AuditTrail } from '../audit/audit-trail';
import { useQuery, useRefetchQueries } from '../queries/use-query';
import { ErrorMessage, QueryResult, Tag } from '../components/common';
import { useActionWithFeedback } from '../session/use-action';
import { FooterItemDialog, FooterMenuDialog } from './footer-dialogs';

type EditedFooterEntry =
  | { what: 'menu'; menu: AdminFooterMenu | null }
  | { what: 'item'; menu: AdminFooterMenu; item: FooterItem | null }
  | null;

interface WithDisplayOrder {
  id: number;
  displayOrder: number;
}

const sortedByDisplayOrder = <Entry extends WithDisplayOrder>(entries: readonly Entry[]): Entry[] =>
  [...entries].sort((one, other) => one.displayOrder - other.displayOrder || one.id - other.id);

/**
 * Returns the display orders that move one entry up or down. Equal display orders become distinct
 * in the process.
 */
export function withMovedItem<Entry extends WithDisplayOrder>(
  entries: readonly Entry[],
  id: number,
  by: 1 | -1,
): { id: number; displayOrder: number }[] {
  const order = sortedByDisplayOrder(entries).map((entry) => entry.id);
  const at = order.indexOf(id);
  const to = at + by;
  if (at < 0 || to < 0 || to >= order.length) return [];
  order.splice(to, 0, ...order.splice(at, 1));
  const before = new Map(entries.map((entry) => [entry.id, entry.displayOrder]));
  return order
    .map((entry, index) => ({ id: entry, displayOrder: index }))
    .filter((next) => before.get(next.id) !== next.displayOrder);
}

function useFooterChange() {
  const action = useActionWithFeedback();
  const refetchQueries = useRefetchQueries();
  const change = (act: () => Promise<unknown>, failed: string, failedText: string) =>
    void action.run(
      async () => {
        await act();
        await refetchQueries('menus').catch(() => {});
      },
      { failed, failedText },
    );
  return { busy: action.busy, error: action.error, change };
}

/**
 * Edits the public footer: menus and links, their order and visibility (specification lines C:87,
 * C:237-240).
 */
export function FooterMenus() {
  const menus = useQuery('menus');
  const { busy, error, change } = useFooterChange();
  const [editing, setEditing] = useState<EditedFooterEntry>(null);
  const moveMenus = (all: readonly AdminFooterMenu[], id: number, by: 1 | -1) =>
    change(
      () =>
        Promise.all(
          withMovedItem(all, id, by).map((next) =>
            updateFooterMenu(next.id, { displayOrder: next.displayOrder }),
          ),
        ),
      O.menuNotUpdated,
      'The order stays as it is.',
    );
  return (
    <section className="card panel" aria-labelledby="footer-title">
      <div className="ops-panel-head">
        <h2 id="footer-title">Footer management</h2>
        <button
          type="button"
          className="btn small sec"
          onClick={() => setEditing({ what: 'menu', menu: null })}
        >
          New menu
        </button>
      </div>
      <ErrorMessage message={error} />
      <QueryResult {...menus} title="The footer menus did not load" rows={3}>
        {(all) => (
          <>
            {all.length === 0 ? <p className="meta">The footer has no menus.</p> : null}
            <ul className="ops-menus">
              {sortedByDisplayOrder(all).map((menu, index) => (
                <li key={menu.id}>
                  <div className="ops-menu-head">
                    <h3>{menu.heading}</h3>
                    {menu.isVisible ? null : <Tag kind="plain">Hidden</Tag>}
                    <MoveFooterEntryButtons
                      name={menu.heading}
                      first={index === 0}
                      last={index === all.length - 1}
                      busy={busy}
                      onMove={(by) => moveMenus(all, menu.id, by)}
                    />
                    <button
                      type="button"
                      className="link-btn"
                      onClick={() => setEditing({ what: 'menu', menu })}
                    >
                      Edit<span className="sr"> {menu.heading}</span>
                    </button>
                    <DeleteFooterEntryButton
                      name={menu.heading}
                      busy={busy}
                      onDelete={() =>
                        change(
                          () => deleteFooterMenu(menu.id),
                          'Error deleting menu',
                          'The menu is still there. Please try again.',
                        )
                      }
                    />
                  </div>
                  <FooterMenuItems
                    menu={menu}
                    busy={busy}
                    onEdit={(item) => setEditing({ what: 'item', menu, item })}
                    change={change}
                  />
                  <button
                    type="button"
                    className="link-btn"
                    onClick={() => setEditing({ what: 'item', menu, item: null })}
                  >
                    Add a link<span className="sr"> to {menu.heading}</span>
                  </button>
                </li>
              ))}
            </ul>
          </>
        )}
      </QueryResult>
      <AuditTrail
        objects="footer-menu:*,footer-item:*"
        turn={menus.data}
        title="Changes of the footer"
      />
      {editing?.what === 'menu' ? (
        <FooterMenuDialog menu={editing.menu} onClose={() => setEditing(null)} />
      ) : null}
      {editing?.what === 'item' ? (
        <FooterItemDialog
          menu={editing.menu}
          item={editing.item}
          onClose={() => setEditing(null)}
        />
      ) : null}
    </section>
  );
}

interface FooterMenuItemsProps {
  menu: AdminFooterMenu;
  busy: boolean;
  onEdit: (item: FooterItem) => void;
  change: ReturnType<typeof useFooterChange>['change'];
}

function FooterMenuItems({ menu, busy, onEdit, change }: FooterMenuItemsProps) {
  const items = sortedByDisplayOrder(menu.items);
  return (
    <ul className="ops-items">
      {items.map((item, index) => (
        <li key={item.id}>
          <span className="ops-two">
            <strong>{item.label}</strong>
            <small>{item.url}</small>
          </span>
          {item.isVisible ? null : <Tag kind="plain">Hidden</Tag>}
          <MoveFooterEntryButtons
            name={item.label}
            first={index === 0}
            last={index === items.length - 1}
            busy={busy}
            onMove={(by) =>
              change(
                () =>
                  Promise.all(
                    withMovedItem(items, item.id, by).map((next) =>
                      updateFooterItem(next.id, { displayOrder: next.displayOrder }),
                    ),
                  ),
                'Error updating link',
                'The order stays as it is.',
              )
            }
          />
          <button type="button" className="link-btn" onClick={() => onEdit(item)}>
            Edit<span className="sr"> {item.label}</span>
          </button>
          <DeleteFooterEntryButton
            name={item.label}
            busy={busy}
            onDelete={() =>
              change(
                () => deleteFooterItem(item.id),
                'Error deleting link',
                'The link is still there. Please try again.',
              )
            }
          />
        </li>
      ))}
    </ul>
  );
}

function MoveFooterEntryButtons({
  name,
  first,
  last,
  busy,
  onMove,
}: {
  name: string;
  first: boolean;
  last: boolean;
  busy: boolean;
  onMove: (by: 1 | -1) => void;
}) {
  return (
    <span className="ops-movers">
      <button
        type="button"
        aria-label={`Move ${name} up`}
        disabled={first || busy}
        onClick={() => onMove(-1)}
      >
        ↑
      </button>
      <button
        type="button"
        aria-label={`Move ${name} down`}
        disabled={last || busy}
        onClick={() => onMove(1)}
      >
        ↓
      </button>
    </span>
  );
}

/** Delete button with an inline confirmation, because a deletion is permanent. */
function DeleteFooterEntryButton({
  name,
  busy,
  onDelete,
}: {
  name: string;
  busy: boolean;
  onDelete: () => void;
}) {
  const [isConfirming, setConfirming] = useState(false);
  if (!isConfirming)
    return (
      <button type="button" className="link-btn is-danger" onClick={() => setConfirming(true)}>
        Delete<span className="sr"> {name}</span>
      </button>
    );
  return (
    <span className="ops-sure">
      <button
        type="button"
        className="link-btn is-danger"
        disabled={busy}
        onClick={onDelete}
        autoFocus
      >
        Really delete<span className="sr"> {name}</span>
      </button>
      <button type="button" className="link-btn" onClick={() => setConfirming(false)}>
        Keep<span className="sr"> {name}</span>
      </button>
    </span>
  );
}
