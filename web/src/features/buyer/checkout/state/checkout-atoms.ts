import { atom } from 'jotai';
import { INITIAL_CHECKOUT, reduceCheckout, type Checkout, type CheckoutEvent } from './checkout';
import { EMPTY_PURCHASE_DETAILS, type PurchaseDetails } from '../form/purchase-rules';
import { atomFamily } from '@/shared/atom-family';

const checkoutsByScopeAtom = atom<Readonly<Record<string, Checkout>>>({});

/**
 * The state of the purchase of one scope ("draw:1042", "cart"). Components write to it by
 * dispatching events.
 */
export const checkoutAtom = atomFamily((scope: string) =>
  atom(
    (get) => get(checkoutsByScopeAtom)[scope] ?? INITIAL_CHECKOUT,
    (get, set, event: CheckoutEvent) => {
      const all = get(checkoutsByScopeAtom);
      set(checkoutsByScopeAtom, {
        ...all,
        [scope]: reduceCheckout(all[scope] ?? INITIAL_CHECKOUT, event),
      });
    },
  ),
);

/** Resets the purchase after the thank-you page, so that a new one can start. */
export const resetCheckoutAtom = atom(null, (get, set, scope: string) =>
  set(checkoutsByScopeAtom, { ...get(checkoutsByScopeAtom), [scope]: INITIAL_CHECKOUT }),
);

/** The buyer's input. It survives navigation and errors and is cleared after success. */
export const purchaseDetailsAtom = atom<PurchaseDetails>(EMPTY_PURCHASE_DETAILS);
