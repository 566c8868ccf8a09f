/** The purchase for a component: its state, and the three effects that run automatically. */
import { useAtom, useSetAtom, useStore } from 'jotai';
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useOrder } from '@/features/shared-live/use-live';
import { S, fill } from '@/shared/strings';
import { showToastAtom, type Toast } from '@/shared/ui/toast-atoms';
import { notAllocated } from './catalogue';
import { attemptOf, endAttempt, finishAttempt, finishedOf, noteAttempt } from './attempt';
import { isBusy, outcomeOf, type Checkout, type CheckoutEvent } from './checkout';
import { checkoutAtom, detailsAtom, resetCheckoutAtom } from './checkout-atoms';
import { noteKept } from './kept';
import { askAgain } from './pay';
import { NO_DETAILS } from './purchase-rules';
import { keepSummary, type Summary } from './summary';

export function useCheckout(scope: string) {
  const [checkout, dispatch] = useAtom(checkoutAtom(scope));
  useRecovery(scope, dispatch);
  useKeepingInMind(scope, checkout);
  useResolution(scope, checkout, dispatch);
  useTroubleToast(checkout);
  useOutcomeToast(checkout);
  useAskBeforeLeaving(checkout);
  return { checkout, dispatch };
}

type CheckoutDispatch = (event: CheckoutEvent) => void;

/**
 * Requests the outcome of a payment after a reload, before the page offers anything. A page
 * restored from the browser's cache does the same. A purchase that finished meanwhile, for example
 * on a bank's page, is finished here too.
 */
function useRecovery(scope: string, dispatch: CheckoutDispatch): void {
  const store = useStore();
  useEffect(() => {
    const recover = () => {
      const attempt = attemptOf(scope);
      if (attempt?.paying && attempt.orderToken && attempt.paymentIntentId) {
        dispatch({
          is: 'unsure',
          order: { orderToken: attempt.orderToken, paymentIntentId: attempt.paymentIntentId },
        });
      }
    };
    const onShow = ({ persisted }: PageTransitionEvent) => {
      if (!persisted) return;
      if (finishedOf(scope) === null) return recover();
      endAttempt(scope);
      store.set(detailsAtom, NO_DETAILS);
      store.set(resetCheckoutAtom, scope);
    };
    recover();
    window.addEventListener('pageshow', onShow);
    return () => window.removeEventListener('pageshow', onShow);
  }, [scope, dispatch, store]);
}

/** Saves the reservation for a reload, from the first answer to the last extension. */
function useKeepingInMind(scope: string, checkout: Checkout): void {
  const order =
    'order' in checkout && checkout.order && 'expiresAt' in checkout.order ? checkout.order : null;
  useEffect(() => {
    if (order) noteKept(scope, order);
  }, [scope, order]);
}

const ASKED_FOR_MS = 30_000;
const ASKED_EVERY_MS = 4_000;
/**
 * How many "no card accepted" answers make it final. The first may come just before the provider
 * has finished.
 */
const UNTOUCHED_ANSWERS = 2;

/**
 * Requests the order every two seconds, fifteen times, while the outcome is unknown. Live updates
 * are followed without limit.
 */
function useResolution(scope: string, checkout: Checkout, dispatch: CheckoutDispatch): void {
  const open =
    checkout.at === 'confirming' || checkout.at === 'lost' || checkout.at === 'pending'
      ? checkout.order
      : null;
  const { order } = useOrder(
    open?.orderToken ?? '',
    checkout.at === 'confirming' || checkout.at === 'pending',
  );
  useEffect(() => {
    const outcome = open && order && order.orderToken === open.orderToken ? outcomeOf(order) : null;
    if (!outcome) return;
    if (outcome.is === 'issued') finishAttempt(scope, open?.orderToken);
    else endAttempt(scope);
    dispatch(outcome);
  }, [open, order, scope, dispatch]);
  useAskingAgain(
    scope,
    checkout.at === 'confirming' ? checkout.order.paymentIntentId : null,
    dispatch,
  );
  useEffect(() => {
    if (checkout.at !== 'confirming') return;
    const timer = setTimeout(() => dispatch({ is: 'gaveUp' }), ASKED_FOR_MS);
    return () => clearTimeout(timer);
  }, [checkout.at, dispatch]);
}

/** Completes again, which is idempotent, and so gets the outcome from the provider. */
function useAskingAgain(
  scope: string,
  paymentIntentId: string | null,
  dispatch: CheckoutDispatch,
): void {
  useEffect(() => {
    if (paymentIntentId === null) return;
    let untouched = 0;
    let current = true;
    const turn = async () => {
      const answer = await askAgain(scope, paymentIntentId);
      if (!current || answer === null) return;
      untouched = answer === 'untouched' ? untouched + 1 : 0;
      if (answer !== 'untouched') return dispatch(answer);
      if (untouched < UNTOUCHED_ANSWERS) return;
      // The same key means the same payment, so no second charge is possible.
      const attempt = attemptOf(scope);
      if (attempt) noteAttempt(scope, { ...attempt, paying: false });
      dispatch({
        is: 'untouched',
        trouble: { title: S.paymentFailedTitle, text: 'Your payment was not completed.' },
      });
    };
    void turn();
    const timer = setInterval(() => void turn(), ASKED_EVERY_MS);
    return () => {
      current = false;
      clearInterval(timer);
    };
  }, [scope, paymentIntentId, dispatch]);
}

/** Shows an error in a toast as well as beside the form (interface decision D12). */
function useTroubleToast(checkout: Checkout): void {
  const showToast = useSetAtom(showToastAtom);
  const trouble = checkout.at === 'choosing' ? checkout.trouble : null;
  useEffect(() => {
    if (trouble) showToast({ title: trouble.title, text: trouble.text, bad: true });
  }, [trouble, showToast]);
}

/**
 * The money was authorised, and the tickets are either still being issued or could not be issued.
 */
export const ISSUING = {
  title: 'Your payment went through',
  text: 'Your tickets are being issued. A confirmation e-mail should follow; if it does not, please contact support.',
};

function useOutcomeToast(checkout: Checkout): void {
  const showToast = useSetAtom(showToastAtom);
  const { at } = checkout;
  useEffect(() => {
    if (at === 'pending') showToast({ ...ISSUING, bad: true });
    if (at === 'notCharged')
      showToast({ title: notAllocated.title, text: notAllocated.text, bad: true });
  }, [at, showToast]);
}

/** Asks for confirmation when the buyer leaves during a payment. */
function useAskBeforeLeaving(checkout: Checkout): void {
  const busy = isBusy(checkout);
  useEffect(() => {
    if (!busy) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [busy]);
}

/**
 * How long the buyer reads that the tickets are being issued, before the thank-you page opens
 * (specification line A:190).
 */
const PENDING_READ_MS = 2_000;

export interface Ending {
  summary: () => Summary;
  toast: Toast;
  /** Ends the purchase in this browser: empties the cart and deletes the saved details. */
  onDone?: () => void;
}

/**
 * Saves the summary, shows a message, clears the input and opens the thank-you page. It runs once
 * tickets are issued, or two seconds after a payment without tickets.
 */
export function useFinish(
  scope: string,
  checkout: Checkout,
  { summary, toast, onDone }: Ending,
): void {
  const showToast = useSetAtom(showToastAtom);
  const [, navigate] = useLocation();
  const store = useStore();
  const done = useRef(false);
  const { at } = checkout;
  const ending = useRef<() => void>(() => {});
  useEffect(() => {
    ending.current = () => {
      if (done.current) return;
      done.current = true;
      const kept = summary();
      const stored = keepSummary(kept);
      store.set(detailsAtom, NO_DETAILS);
      if (at === 'issued') showToast(toast);
      onDone?.();
      navigate(stored ? '/thank-you' : afterwards(kept));
    };
  });
  useEffect(() => {
    if (at === 'issued') ending.current();
    if (at !== 'pending') return;
    const timer = setTimeout(() => ending.current(), PENDING_READ_MS);
    return () => clearTimeout(timer);
  }, [at]);
  // Reset only after this page has closed. Until then it must not look as if nothing was bought.
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
export function afterwards({ clubSlug, draws }: Pick<Summary, 'clubSlug' | 'draws'>): string {
  if (clubSlug) return `/club/${clubSlug}`;
  const draw = draws[0]?.drawNumber;
  return draw ? `/draw/${draw}` : '/';
}

export const CARD_SUCCESS: Toast = { title: S.purchaseSuccessful, text: S.checkEmail };
export const WALLET_SUCCESS: Toast = { title: S.processingTickets };
export const checkoutSuccess = (tickets: number): Toast => ({
  title: S.purchaseSuccessfulLower,
  text: fill(S.purchasedCount, { n: tickets }),
});
