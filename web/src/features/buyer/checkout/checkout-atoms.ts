import { atom } from 'jotai';
import { CHOOSING, advance, type Checkout, type Happening } from './checkout';
import { NO_DETAILS, type Details } from './purchase-rules';
import { family } from '@/shared/family';

const checkoutsAtom = atom<Readonly<Record<string, Checkout>>>({});

/** Where the purchase of one scope ("draw:1042", "cart") stands; written to by saying what happened. */
export const checkoutAtom = family((scope: string) =>
  atom(
    (get) => get(checkoutsAtom)[scope] ?? CHOOSING,
    (get, set, happening: Happening) => {
      const all = get(checkoutsAtom);
      set(checkoutsAtom, { ...all, [scope]: advance(all[scope] ?? CHOOSING, happening) });
    },
  ),
);

/** After the thank-you page a new purchase may begin. */
export const resetCheckoutAtom = atom(null, (get, set, scope: string) =>
  set(checkoutsAtom, { ...get(checkoutsAtom), [scope]: CHOOSING }),
);

/** What the buyer has typed; kept while going back and forth, never cleared by an error, forgotten after success. */
export const detailsAtom = atom<Details>(NO_DETAILS);
