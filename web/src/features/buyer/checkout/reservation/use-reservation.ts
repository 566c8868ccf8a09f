/**
 * Opens an order half a second after the last change of the wanted tickets, and releases the order
 * when the buyer leaves (specification line A:190, decision B-8).
 */
import { useStore } from 'jotai';
import { useCallback, useEffect, useRef } from 'react';
import { releaseReservation } from '@/api/endpoints/buyer';
import type { IntentResponse } from '@/api/wire';
import { currentAttempt, beginAttempt, endAttempt } from '../state/purchase-attempt';
import { paymentOpeningError, type CheckoutPage } from '../errors/error-catalogue';
import { checkoutAtom } from '../state/checkout-atoms';
import { toOpenOrder } from '../payment/pay';
import { dropCachedIntentResponse } from '../payment/intent-response-cache';

const RESERVE_DELAY_MS = 500;

interface ReservationInputs {
  scope: string;
  page: CheckoutPage;
  /**
   * Identifies the tickets to reserve. When it changes, the order is resized. Null means that
   * nothing is reserved and an open order is released.
   */
  contents: string | null;
  open: (clientKey: string) => Promise<IntentResponse>;
}

export function useReservation({ scope, page, contents, open }: ReservationInputs): void {
  const store = useStore();
  const opening = useRef(open);
  useEffect(() => {
    opening.current = open;
  });
  useEffect(() => {
    if (contents === null || currentAttempt(scope)?.paying) return;
    let current = true;
    const timer = setTimeout(() => {
      opening.current(beginAttempt(scope).clientKey).then(
        (answer) =>
          current && store.set(checkoutAtom(scope), { type: 'opened', order: toOpenOrder(answer) }),
        (error: unknown) =>
          current &&
          store.set(checkoutAtom(scope), {
            type: 'refused',
            error: paymentOpeningError(page, 'card', error),
          }),
      );
    }, RESERVE_DELAY_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [scope, page, contents, store]);
  const leave = useCallback(() => {
    dropCachedIntentResponse(scope);
    const checkout = store.get(checkoutAtom(scope));
    if (checkout.state !== 'choosing' || !checkout.order) return;
    releaseReservation(checkout.order.reservationId);
    endAttempt(scope);
    store.set(checkoutAtom(scope), { type: 'expired' });
  }, [scope, store]);
  const nothing = contents === null;
  useEffect(() => {
    if (nothing) leave();
  }, [nothing, leave]);
  useEffect(() => leave, [leave]);
}
