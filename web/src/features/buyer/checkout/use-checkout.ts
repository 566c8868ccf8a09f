/** A purchase as a component sees it: where it stands, and the three things that must happen by themselves. */
import { useAtom, useSetAtom, useStore } from 'jotai';
import { useEffect, useRef } from 'react';
import { useLocation } from 'wouter';
import { useOrder } from '@/features/shared-live/use-live';
import { S, fill } from '@/shared/strings';
import { showToastAtom, type Toast } from '@/shared/ui/toast-atoms';
import { notAllocated } from './catalogue';
import { attemptOf, endAttempt, finishAttempt, finishedOf, noteAttempt } from './attempt';
import { isBusy, outcomeOf, type Checkout, type Happening } from './checkout';
import { checkoutAtom, detailsAtom, resetCheckoutAtom } from './checkout-atoms';
import { noteKept } from './kept';
import { askAgain } from './pay';
import { NO_DETAILS } from './purchase-rules';
import { keepSummary, type Summary } from './summary';

export function useCheckout(scope: string) {
  const [checkout, say] = useAtom(checkoutAtom(scope));
  useRecovery(scope, say);
  useKeepingInMind(scope, checkout);
  useResolution(scope, checkout, say);
  useTroubleToast(checkout);
  useOutcomeToast(checkout);
  useAskBeforeLeaving(checkout);
  return { checkout, say };
}

type Say = (happening: Happening) => void;

/**
 * A page that was reloaded in the middle of a payment asks what became of it before it offers anything. So does one that the
 * browser kept and shows again; what was finished meanwhile, on the way back from a bank's page, is over here too.
 */
function useRecovery(scope: string, say: Say): void {
  const store = useStore();
  useEffect(() => {
    const recover = () => {
      const attempt = attemptOf(scope);
      if (attempt?.paying && attempt.orderToken && attempt.paymentIntentId) {
        say({
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
  }, [scope, say, store]);
}

/** What is reserved is remembered for a reload, from the first answer to the last extension. */
function useKeepingInMind(scope: string, checkout: Checkout): void {
  const order =
    'order' in checkout && checkout.order && 'expiresAt' in checkout.order ? checkout.order : null;
  useEffect(() => {
    if (order) noteKept(scope, order);
  }, [scope, order]);
}

const ASKED_FOR_MS = 30_000;
const ASKED_EVERY_MS = 4_000;
/** One such answer may be the moment before the provider has finished; the second is a fact. */
const UNTOUCHED_ANSWERS = 2;

/** While the outcome is unknown the order is asked for every two seconds, fifteen times, and listened to for ever. */
function useResolution(scope: string, checkout: Checkout, say: Say): void {
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
    say(outcome);
  }, [open, order, scope, say]);
  useAskingAgain(scope, checkout.at === 'confirming' ? checkout.order.paymentIntentId : null, say);
  useEffect(() => {
    if (checkout.at !== 'confirming') return;
    const timer = setTimeout(() => say({ is: 'gaveUp' }), ASKED_FOR_MS);
    return () => clearTimeout(timer);
  }, [checkout.at, say]);
}

/** Completes again, which harms nobody, and so learns from the provider itself what happened. */
function useAskingAgain(scope: string, paymentIntentId: string | null, say: Say): void {
  useEffect(() => {
    if (paymentIntentId === null) return;
    let untouched = 0;
    let current = true;
    const turn = async () => {
      const answer = await askAgain(scope, paymentIntentId);
      if (!current || answer === null) return;
      untouched = answer === 'untouched' ? untouched + 1 : 0;
      if (answer !== 'untouched') return say(answer);
      if (untouched < UNTOUCHED_ANSWERS) return;
      // With the same key it is the same payment again: there is no second one to charge.
      const attempt = attemptOf(scope);
      if (attempt) noteAttempt(scope, { ...attempt, paying: false });
      say({
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
  }, [scope, paymentIntentId, say]);
}

/** What went wrong is said in a toast as well as beside the form (D12). */
function useTroubleToast(checkout: Checkout): void {
  const showToast = useSetAtom(showToastAtom);
  const trouble = checkout.at === 'choosing' ? checkout.trouble : null;
  useEffect(() => {
    if (trouble) showToast({ title: trouble.title, text: trouble.text, bad: true });
  }, [trouble, showToast]);
}

/** The money was set aside: either the tickets are still to come, or they could not be had. */
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

/** Leaving during a payment asks once. */
function useAskBeforeLeaving(checkout: Checkout): void {
  const busy = isBusy(checkout);
  useEffect(() => {
    if (!busy) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [busy]);
}

/** How long the buyer reads that the tickets are still to come before the thank-you page takes over (A:190). */
const PENDING_READ_MS = 2_000;

export interface Ending {
  summary: () => Summary;
  toast: Toast;
  /** The buyer is done here: the cart is emptied, the saved details are forgotten. */
  onDone?: () => void;
}

/** Once issued, or two seconds after the payment without tickets: keep the summary, say so, forget what was typed, and go on. */
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
  // Only once this page is gone: until then it must not look as if nothing had been bought.
  useEffect(
    () => () => {
      if (done.current) store.set(resetCheckoutAtom, scope);
    },
    [scope, store],
  );
}

/** Where a buyer goes when nothing could be kept for the thank-you page: the club, the draw, or home (A:194). */
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
