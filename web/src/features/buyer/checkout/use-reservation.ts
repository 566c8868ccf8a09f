/** Opens an order half a second after what is wanted has settled, and gives it back when the buyer walks away (A:190, B-8). */
import { useStore } from 'jotai';
import { useEffect, useRef } from 'react';
import { leaveReservation } from '@/api/endpoints/buyer';
import type { IntentAnswer } from '@/api/wire';
import { attemptOf, beginAttempt, endAttempt } from './attempt';
import { checkoutAtom } from './checkout-atoms';
import { openOrder, troubleOf } from './pay';

const SETTLES_MS = 500;

/** `wanted` names what is reserved; when it changes the order is opened again and resized. Null: nothing to reserve. */
export function useReservation(scope: string, wanted: string | null, open: (clientKey: string) => Promise<IntentAnswer>): void {
  const store = useStore();
  const opening = useRef(open);
  useEffect(() => {
    opening.current = open;
  });
  useEffect(() => {
    if (wanted === null || attemptOf(scope)?.paying) return;
    const timer = setTimeout(() => {
      opening.current(beginAttempt(scope).clientKey).then(
        (answer) => store.set(checkoutAtom(scope), { is: 'opened', order: openOrder(answer) }),
        (error: Error) => store.set(checkoutAtom(scope), { is: 'refused', trouble: troubleOf(error) }),
      );
    }, SETTLES_MS);
    return () => clearTimeout(timer);
  }, [scope, wanted, store]);
  useEffect(
    () => () => {
      const checkout = store.get(checkoutAtom(scope));
      if (checkout.at !== 'choosing' || !checkout.order) return;
      leaveReservation(checkout.order.reservationId);
      endAttempt(scope);
      store.set(checkoutAtom(scope), { is: 'expired' });
    },
    [scope, store],
  );
}
