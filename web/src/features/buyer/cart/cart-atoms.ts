import { atom } from 'jotai';
import { surchargeModeAtom } from '@/features/shared-live/live-atoms';
import { forgetStored, readStored, writeStored } from '@/shared/storage';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { EMPTY_CART, computeCartTotals, type Cart } from './cart';
import { logCartEvent } from './cart-log';
import { parseStoredCart } from './saved-cart';

const cartInMemoryAtom = atom<Cart>(parseStoredCart(readStored('local', S.cartKey)));

const describeCart = (cart: Cart) =>
  cart.items.length === 0
    ? 'empty'
    : cart.items.map((item) => `${item.quantity} × draw ${item.drawNumber}`).join(', ');

/**
 * The cart. The browser stores the cart while it has items or a club, and removes the stored copy
 * otherwise.
 */
export const cartAtom = atom(
  (get) => get(cartInMemoryAtom),
  (get, set, change: (cart: Cart) => Cart) => {
    const last = get(cartInMemoryAtom);
    const next = change(last);
    if (next === last) return;
    set(cartInMemoryAtom, next);
    logCartEvent(describeCart(next));
    if (next.items.length > 0 || next.clubId !== null) writeStored('local', S.cartKey, next);
    else forgetStored('local', S.cartKey);
  },
);

/** Empties the cart and removes the stored copy. */
export const emptyCartAtom = atom(null, (_get, set) => set(cartAtom, () => EMPTY_CART));

/**
 * Loads the stored cart, for example after another tab changed it. A stored cart without items
 * never replaces a cart with items, unless `removed` says that another tab has bought or cleared
 * the cart. Returns whether the cart has items afterwards.
 */
export const reloadCartAtom = atom(null, (get, set, removed: boolean) => {
  const saved = parseStoredCart(readStored('local', S.cartKey));
  if (saved.items.length > 0 || removed) {
    set(cartInMemoryAtom, saved);
    logCartEvent(`from another tab: ${describeCart(saved)}`);
  }
  return get(cartInMemoryAtom).items.length > 0;
});

/**
 * Totals of the cart. Adds up fees as the server does, so that the shown total is the charged
 * total.
 */
export const cartTotalsAtom = atom((get) =>
  computeCartTotals(get(cartAtom), get(surchargeModeAtom)),
);

const cartDrawerOpenBaseAtom = atom(false);

/** Whether the cart drawer is open. Writing opens, closes or toggles the drawer. */
export const cartDrawerOpenAtom = atom(
  (get) => get(cartDrawerOpenBaseAtom),
  (get, set, to: boolean | 'toggle') =>
    set(cartDrawerOpenBaseAtom, to === 'toggle' ? !get(cartDrawerOpenBaseAtom) : to),
);
