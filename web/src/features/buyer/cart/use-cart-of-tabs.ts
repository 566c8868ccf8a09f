/** Two tabs, one cart: what one saves, the other shows. */
import { useSetAtom, useStore } from 'jotai';
import { useEffect } from 'react';
import { isBusy } from '@/features/buyer/checkout/checkout';
import { checkoutAtom } from '@/features/buyer/checkout/checkout-atoms';
import { S } from '@/shared/strings';
import { CART_SCOPE } from './cart';
import { reloadCartAtom } from './cart-atoms';

export function useCartOfTabs(): void {
  const store = useStore();
  const reload = useSetAtom(reloadCartAtom);
  useEffect(() => {
    const onStorage = (event: StorageEvent) => {
      // The key is null when everything was cleared.
      if (event.key !== S.cartKey && event.key !== null) return;
      // What is being paid for stays as it is until the payment is decided.
      if (!isBusy(store.get(checkoutAtom(CART_SCOPE)))) reload(event.newValue === null);
    };
    window.addEventListener('storage', onStorage);
    return () => window.removeEventListener('storage', onStorage);
  }, [store, reload]);
}
