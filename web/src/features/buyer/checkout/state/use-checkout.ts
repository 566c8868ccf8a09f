/**
 * Gives a component the state of its purchase. Recovers a payment after a reload, saves the
 * reservation, resolves an unknown outcome and shows toasts.
 */
import { useAtom, useSetAtom, useStore } from 'jotai';
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useLiveOrder } from '@/features/shared-live/use-live';
import { PUBLIC_TEXTS as S, fillPlaceholders } from '@/shared/strings';
import { dismissToastAtom, showToastAtom, type Toast } from '@/shared/ui/toast-atoms';
import { ticketsNotAllocatedError } from '../errors/error-catalogue';
import {
  currentAttempt,
  endAttempt,
  finishAttemptWithTickets,
  finishedOrderToken,
  saveAttempt,
} from './purchase-attempt';
import {
  isCheckoutBusy,
  eventForOrderOutcome,
  type Checkout,
  type CheckoutDispatch,
} from './checkout';
import { checkoutAtom, purchaseDetailsAtom, resetCheckoutAtom } from './checkout-atoms';
import { saveReservation } from '../reservation/reserved-tickets';
import { startOutcomePolling } from '../payment/outcome-polling';
import { EMPTY_PURCHASE_DETAILS } from '../form/purchase-rules';
import { savePurchaseSummary, type PurchaseSummary } from './summary';

export function useCheckout(scope: string) {
  const [checkout, dispatch] = useAtom(checkoutAtom(scope));
  useRecoverPayment(scope, dispatch);
  useSaveReservation(scope, checkout);
  useResolveUnknownOutcome(scope, checkout, dispatch);
  useErrorToast(checkout);
  useOutcomeToast(checkout);
  useConfirmBeforeLeaving(checkout);
  return { checkout, dispatch };
}

/**
 * Requests the outcome of a payment that was running before a reload, or before the browser
 * restored the page from its cache. A purchase that finished meanwhile, for example on a bank's
 * page, is ended.
 */
function useRecoverPayment(scope: string, dispatch: CheckoutDispatch): void {
  const store = useStore();
  useEffect(() => {
    const recover = () => {
      const attempt = currentAttempt(scope);
      if (attempt?.paying && attempt.orderToken && attempt.paymentIntentId) {
        dispatch({
          type: 'unsure',
          order: { orderToken: attempt.orderToken, paymentIntentId: attempt.paymentIntentId },
        });
      }
    };
    const onShow = ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return;
      if (finishedOrderToken(scope) === null) return recover();
      endAttempt(scope);
      store.set(purchaseDetailsAtom, EMPTY_PURCHASE_DETAILS);
      store.set(resetCheckoutAtom, scope);
    };
    recover();
    window.addEventListener('pageshow', onShow);
    return () => window.removeEventListener('pageshow', onShow);
  }, [scope, dispatch, store]);
}

/**
 * Saves the reservation whenever it is opened or extended, so that a reload of the page keeps it.
 */
function useSaveReservation(scope: string, checkout: Checkout): void {
  const order =
    'order' in checkout && checkout.order && 'expiresAt' in checkout.order ? checkout.order : null;
  useEffect(() => {
    if (order) saveReservation(scope, order);
  }, [scope, order]);
}

const OUTCOME_POLLING_MS_MAX = 30_000;

/**
 * While the payment's outcome is unknown, polls the order and gives up after 30 seconds. Later live
 * updates of the order are still applied.
 */
function useResolveUnknownOutcome(
  scope: string,
  checkout: Checkout,
  dispatch: CheckoutDispatch,
): void {
  const open =
    checkout.state === 'confirming' || checkout.state === 'lost' || checkout.state === 'pending'
      ? checkout.order
      : null;
  const { order } = useLiveOrder(
    open?.orderToken ?? '',
    checkout.state === 'confirming' || checkout.state === 'pending',
  );
  useEffect(() => {
    const outcome =
      open && order && order.orderToken === open.orderToken ? eventForOrderOutcome(order) : null;
    if (!outcome) return;
    if (outcome.type === 'issued') finishAttemptWithTickets(scope, open?.orderToken);
    else endAttempt(scope);
    dispatch(outcome);
  }, [open, order, scope, dispatch]);
  useOrderPolling(
    scope,
    checkout.state === 'confirming' ? checkout.order.paymentIntentId : null,
    dispatch,
  );
  useEffect(() => {
    if (checkout.state !== 'confirming') return;
    const timer = setTimeout(() => dispatch({ type: 'gaveUp' }), OUTCOME_POLLING_MS_MAX);
    return () => clearTimeout(timer);
  }, [checkout.state, dispatch]);
}

/** Polls the payment's outcome and dispatches it. */
function useOrderPolling(
  scope: string,
  paymentIntentId: string | null,
  dispatch: CheckoutDispatch,
): void {
  useEffect(() => {
    if (paymentIntentId === null) return;
    return startOutcomePolling(scope, paymentIntentId, (outcome) => {
      if (outcome !== 'untouched') return dispatch(outcome);
      // Keeps the attempt and its idempotency key, which stands for the same payment. So no second
      // charge is possible.
      const attempt = currentAttempt(scope);
      if (attempt) saveAttempt(scope, { ...attempt, paying: false });
      dispatch({
        type: 'untouched',
        error: { title: S.paymentFailedTitle, text: 'Your payment was not completed.' },
      });
    });
  }, [scope, paymentIntentId, dispatch]);
}

const ERROR_TOAST_KEY = 'checkout-error';

/**
 * Shows an error in a toast as well as beside the form (interface decision D12). The toast ends
 * with the error.
 */
function useErrorToast(checkout: Checkout): void {
  const showToast = useSetAtom(showToastAtom);
  const dismissToast = useSetAtom(dismissToastAtom);
  const error = checkout.state === 'choosing' ? checkout.error : null;
  useEffect(() => {
    if (!error) return;
    showToast({ title: error.title, text: error.text, bad: true, key: ERROR_TOAST_KEY });
    return () => dismissToast(ERROR_TOAST_KEY);
  }, [error, showToast, dismissToast]);
}

/** Text for a payment that is authorised while its tickets are still being issued. */
export const TICKETS_ISSUING_TOAST = {
  title: 'Your payment went through',
  text: 'Your tickets are being issued. A confirmation e-mail should follow; if it does not, please contact support.',
};

function useOutcomeToast(checkout: Checkout): void {
  const showToast = useSetAtom(showToastAtom);
  const { state } = checkout;
  useEffect(() => {
    if (state === 'pending') showToast({ ...TICKETS_ISSUING_TOAST, bad: true });
    if (state === 'notCharged')
      showToast({
        title: ticketsNotAllocatedError.title,
        text: ticketsNotAllocatedError.text,
        bad: true,
      });
  }, [state, showToast]);
}

/** Asks for confirmation when the buyer leaves during a payment. */
function useConfirmBeforeLeaving(checkout: Checkout): void {
  const busy = isCheckoutBusy(checkout);
  useEffect(() => {
    if (!busy) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [busy]);
}

/**
 * Milliseconds for which the buyer reads that the tickets are being issued before the thank-you
 * page opens (specification line A:190).
 */
const PENDING_MESSAGE_SHOWN_MS = 2_000;

export interface CompletePurchaseOptions {
  summary: () => PurchaseSummary;
  toast: Toast;
  /** Ends the purchase in this browser: empties the cart and deletes the saved details. */
  onDone?: () => void;
}

/**
 * Ends a purchase: saves the summary, clears the input and opens the next page. Runs once tickets
 * are issued, with a toast, or two seconds after a payment whose tickets are still being issued.
 */
export function useCompletePurchase(
  scope: string,
  checkout: Checkout,
  { summary, toast, onDone }: CompletePurchaseOptions,
): void {
  const showToast = useSetAtom(showToastAtom);
  const [, navigate] = useLocation();
  const store = useStore();
  const done = useRef(false);
  const { state } = checkout;
  const ending = useRef<() => void>(() => {});
  useEffect(() => {
    ending.current = () => {
      if (done.current) return;
      done.current = true;
      const savedSummary = summary();
      const stored = savePurchaseSummary(savedSummary);
      store.set(purchaseDetailsAtom, EMPTY_PURCHASE_DETAILS);
      if (state === 'issued') showToast(toast);
      onDone?.();
      navigate(stored ? '/thank-you' : nextPageAfterPurchase(savedSummary));
    };
  });
  useEffect(() => {
    if (state === 'issued') ending.current();
    if (state !== 'pending') return;
    const timer = setTimeout(() => ending.current(), PENDING_MESSAGE_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [state]);
  // Resets the purchase only after this page has closed. Until then, the page must not look as if
  // nothing was bought.
  useEffect(
    () => () => {
      if (done.current) store.set(resetCheckoutAtom, scope);
    },
    [scope, store],
  );
}

/**
 * Returns the page to open when nothing could be stored for the thank-you page: the club, the draw
 * or home (specification line A:194).
 */
export function nextPageAfterPurchase({
  clubSlug,
  draws,
}: Pick<PurchaseSummary, 'clubSlug' | 'draws'>): string {
  if (clubSlug) return `/club/${clubSlug}`;
  const draw = draws[0]?.drawNumber;
  return draw ? `/draw/${draw}` : '/';
}

export const CARD_SUCCESS_TOAST: Toast = { title: S.purchaseSuccessful, text: S.checkEmail };
export const WALLET_SUCCESS_TOAST: Toast = { title: S.processingTickets };
export const checkoutSuccessToast = (tickets: number): Toast => ({
  title: S.purchaseSuccessfulLower,
  text: fillPlaceholders(S.purchasedCount, { n: tickets }),
});
