import { createStore } from 'jotai';
import { expect, test, vi } from 'vitest';
import { makeDraw } from '@/testing/draw-data';
import { addItem, itemOf, type Cart } from './cart';

const KEY = 'football_doubles_cart';
const item = itemOf(makeDraw(), 2);
const other = itemOf(makeDraw({ id: 1043, drawNumber: 1043 }), 1);

/** Creates a separate tab: the module's atoms are initialised again from storage. */
async function openTab() {
  vi.resetModules();
  const atoms = await import('./cart-atoms');
  const store = createStore();
  return {
    cart: () => store.get(atoms.cartAtom),
    change: (by: (cart: Cart) => Cart) => store.set(atoms.cartAtom, by),
    clear: () => store.set(atoms.emptyCartAtom),
    hear: (removed: boolean) => store.set(atoms.reloadCartAtom, removed),
  };
}

test('a reload finds the cart, and clearing removes the stored copy', async () => {
  const first = await openTab();
  first.change((cart) => addItem(cart, item));
  const reloaded = await openTab();
  expect(reloaded.cart().items).toEqual([item]);
  reloaded.clear();
  expect(localStorage.getItem(KEY)).toBeNull();
});

test('an item added in one tab appears in the other', async () => {
  const [one, two] = [await openTab(), await openTab()];
  one.change((cart) => addItem(cart, item));
  two.hear(false);
  two.change((cart) => addItem(cart, other));
  one.hear(false);
  expect(one.cart().items).toEqual([item, other]);
});

test('a saved empty or broken cart does not replace one that has items; a removed one does', async () => {
  const tab = await openTab();
  tab.change((cart) => addItem(cart, item));
  for (const stored of ['{"items":[],"clubId":1}', '{"items":[{}]}', 'not json', '[1]']) {
    localStorage.setItem(KEY, stored);
    tab.hear(false);
    expect(tab.cart().items).toEqual([item]);
  }
  localStorage.removeItem(KEY);
  tab.hear(true);
  expect(tab.cart().items).toEqual([]);
});
