import { createStore } from 'jotai';
import { expect, test, vi } from 'vitest';
import { makeDraw } from '@/testing/draw-data';
import { addItem, cartItemOf, type Cart } from './cart';

const CART_STORAGE_KEY = 'football_doubles_cart';
const firstItem = cartItemOf(makeDraw(), 2);
const secondItem = cartItemOf(makeDraw({ id: 1043, drawNumber: 1043 }), 1);

/** Creates a separate tab: the module's atoms are initialised again from storage. */
async function openCartTab() {
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
  const first = await openCartTab();
  first.change((cart) => addItem(cart, firstItem));
  const reloaded = await openCartTab();
  expect(reloaded.cart().items).toEqual([firstItem]);
  reloaded.clear();
  expect(localStorage.getItem(CART_STORAGE_KEY)).toBeNull();
});

test('an item added in one tab appears in the other', async () => {
  const [one, two] = [await openCartTab(), await openCartTab()];
  one.change((cart) => addItem(cart, firstItem));
  two.hear(false);
  two.change((cart) => addItem(cart, secondItem));
  one.hear(false);
  expect(one.cart().items).toEqual([firstItem, secondItem]);
});

test('a saved empty or broken cart does not replace one that has items; a removed one does', async () => {
  const tab = await openCartTab();
  tab.change((cart) => addItem(cart, firstItem));
  for (const stored of ['{"items":[],"clubId":1}', '{"items":[{}]}', 'not json', '[1]']) {
    localStorage.setItem(CART_STORAGE_KEY, stored);
    tab.hear(false);
    expect(tab.cart().items).toEqual([firstItem]);
  }
  localStorage.removeItem(CART_STORAGE_KEY);
  tab.hear(true);
  expect(tab.cart().items).toEqual([]);
});
