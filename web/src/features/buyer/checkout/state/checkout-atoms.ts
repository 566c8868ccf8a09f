import { atom } from 'jotai';
import { CHOOSING, advance, type Checkout, type CheckoutEvent } from './checkout';
import { NO_DETAILS, type Details } from '../form/purchase-rules';
import { family } from '@/shared/atom-family';

const checkoutsAtom = atom<Readonly<Record<string, Checkout>>>({});

/**
 * The state of the purchase of one scope ("draw:1042", "cart"). Components write to it by
 * dispatching events.
 */
export const checkoutAtom = family((scope: string) =>
  atom(
    (get) => get(checkoutsAtom)[scope] ?? CHOOSING,
    (get, set, event: CheckoutEvent) => {
      const all = get(checkoutsAtom);
      set(checkoutsAtom, { ...all, [scope]: advance(all[scope] ?? CHOOSING, event) });
    },
  ),
);

/** Resets the purchase after the thank-you page, so that a new one can start. */
export const resetCheckoutAtom = atom(null, (get, set, scope: string) =>
  set(checkoutsAtom, { ...get(checkoutsAtom), [scope]: CHOOSING }),
);

/** The buyer's input. It survives navigation and errors and is cleared after success. */
export const detailsAtom = atom<Details>(NO_DETAILS);
