/** The pay button and the wallet of any of the three screens: check, complain, pay. */
import type { StripeExpressCheckoutElementConfirmEvent } from '@stripe/stripe-js';
import { useAtomValue } from 'jotai';
import { useRef, useState, type FormEvent } from 'react';
import { useOffline } from '@/features/shared-live/heard';
import { maintenanceAtom } from '@/features/shared-live/live-atoms';
import type { FormProblem } from '@/shared/ui/problem-list';
import { notReady, unconfirmed, type Place } from './catalogue';
import { mayPay, type Checkout, type Happening, type Way } from './checkout';
import { pay, type Purchase } from './pay';
import { usePaymentLoading, usePaymentSurface } from './payment-provider';
import { cardProblems, consentProblems, type Details } from './purchase-rules';
import { named, type WalletPayer } from './single-purchase';

interface Asked {
  place: Place;
  checkout: Checkout;
  say: (happening: Happening) => void;
  details: Details;
  card: () => Purchase;
  wallet: (payer: WalletPayer) => Purchase;
}

/** Whether nothing new may be paid because the service is maintained; a payment that has begun goes on (I-5). */
export function usePaused(checkout: Checkout): boolean {
  return useAtomValue(maintenanceAtom) && mayPay(checkout);
}

export function usePayment({ place, checkout, say, details, card, wallet }: Asked) {
  const surface = usePaymentSurface();
  const loading = usePaymentLoading();
  const offline = useOffline();
  const [found, setProblems] = useState<readonly FormProblem[]>([]);
  const left = cardProblems(details);
  const problems = found.map((problem) => ({
    ...problem,
    mended: !left.some(({ field }) => field === problem.field),
  }));
  const [busyWords, setBusyWords] = useState<string | null>(null);
  // What was pressed last: what went wrong is said there, and the wallet's words differ from the card's.
  const [pressed, setPressed] = useState<Way | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const begin = (by: Way) => {
    setProblems([]);
    setPressed(by);
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!mayPay(checkout) || offline) return;
    setPressed('card');
    setProblems(left);
    if (left.length > 0) {
      requestAnimationFrame(() => list.current?.focus());
      return;
    }
    if (!surface) {
      if (loading.failed) loading.again();
      say({ is: 'refused', trouble: { ...notReady(place, loading.failed), untried: true } });
      return;
    }
    begin('card');
    void pay(card(), surface, say, () => setBusyWords('Busy right now, trying again')).finally(() =>
      setBusyWords(null),
    );
  };
  const onWallet = (event: StripeExpressCheckoutElementConfirmEvent) => {
    if (!surface || !mayPay(checkout) || offline) return event.paymentFailed({ reason: 'fail' });
    begin('wallet');
    void pay(wallet(named(event.billingDetails, details)), surface, (happening) => {
      // The sheet ends as the purchase does: with a mark, or as failed.
      if (
        happening.is === 'refused' ||
        happening.is === 'declined' ||
        happening.is === 'notCharged'
      )
        event.paymentFailed({ reason: 'fail' });
      say(happening);
    });
  };
  /** The wallet was pressed too early: what is missing is said, marked, and led to (D3). */
  const onUnconfirmed = () => {
    const missing = consentProblems(details);
    if (missing.length === 0) return;
    begin('wallet');
    say({ is: 'refused', trouble: unconfirmed(place) });
    document.getElementById(missing[0]?.field ?? '')?.focus();
  };
  return { problems, list, busyWords, pressed, onSubmit, onWallet, onUnconfirmed };
}
