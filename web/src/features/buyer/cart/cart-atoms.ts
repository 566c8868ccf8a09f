import { atom } from 'jotai';
import { forgetStored, readStored, writeStored } from '@/shared/storage';
import { S } from '@/shared/strings';
import { EMPTY, readCart, totals, type Cart } from './cart';

const keptAtom = atom<Cart>(readCart(readStored('local', S.cartKey)));

/** The cart; saved whenever it has items, and its copy removed when it has none. */
export const cartAtom = atom(
  (get) => get(keptAtom),
  (get, set, change: (cart: Cart) => Cart) => {
    const next = change(get(keptAtom));
    set(keptAtom, next);
    if (next.items.length > 0) writeStored('local', S.cartKey, next);
    else forgetStored('local', S.cartKey);
  },
);

export const emptyCartAtom = atom(null, (_get, set) => set(cartAtom, () => EMPTY));
export const totalsAtom = atom((get) => totals(get(cartAtom)));
export const drawerAtom = atom(false);
