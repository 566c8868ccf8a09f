/** Synchronises the cart of several tabs: a change saved in one tab appears in the others. */
import { useSetAtom, useStore } from 'jotai';
import { useEffect } from 'react';
import { isCheckoutBusy } from '@/features/buyer/checkout/state/checkout';
import { checkoutAtom } from '@/features/buyer/checkout/state/checkout-atoms';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { CART_PURCHASE_SCOPE } from './cart';
import { reloadCartAtom } from './cart-atoms';

export function useCartSyncAcrossTabs(): void {
  const store = useStore();
  const reload = useSetAtom(reloadCartAtom);
  useEffect(() => {
    const onStorage = (event: StorageEvent) => {
      // The browser reports a null key when all storage was cleared.
      if (event.key !== S.cartKey && event.key !== null) return;
      // Does not change the cart during a payment, until the payment's outcome is known.
      if (!isCheckoutBusy(store.get(checkoutAtom(CART_PURCHASE_SCOPE))))
        reload(event.newValue === null);
    };
    window.addEventListener('storage', onStorage);
    return () => window.removeEventListener('storage', onStorage);
  }, [store, reload]);
}
