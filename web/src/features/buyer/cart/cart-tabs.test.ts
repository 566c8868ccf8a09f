import { createStore } from 'jotai';
import { expect, test, vi } from 'vitest';
import { aDraw } from '@/testing/a-draw';
import { add, itemOf, type Cart } from './cart';

const KEY = 'football_doubles_cart';
const item = itemOf(aDraw(), 2);
const other = itemOf(aDraw({ id: 1043, drawNumber: 1043 }), 1);

/** Creates a separate tab: the module's atoms are initialised again from storage. */
async function aTab() {
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
  const first = await aTab();
  first.change((cart) => add(cart, item));
  const reloaded = await aTab();
  expect(reloaded.cart().items).toEqual([item]);
  reloaded.clear();
  expect(localStorage.getItem(KEY)).toBeNull();
});

test('an item added in one tab appears in the other', async () => {
  const [one, two] = [await aTab(), await aTab()];
  one.change((cart) => add(cart, item));
  two.hear(false);
  two.change((cart) => add(cart, other));
  one.hear(false);
  expect(one.cart().items).toEqual([item, other]);
});

test('a saved empty or broken cart does not replace one that has items; a removed one does', async () => {
  const tab = await aTab();
  tab.change((cart) => add(cart, item));
  for (const stored of ['{"items":[],"clubId":1}', '{"items":[{}]}', 'not json', '[1]']) {
    localStorage.setItem(KEY, stored);
    tab.hear(false);
    expect(tab.cart().items).toEqual([item]);
  }
  localStorage.removeItem(KEY);
  tab.hear(true);
  expect(tab.cart().items).toEqual([]);
});
