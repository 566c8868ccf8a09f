/** The pay button and the wallet of all three screens: validate, show problems, pay. */
import type { StripeExpressCheckoutElementConfirmEvent } from '@stripe/stripe-js';
import { useAtomValue } from 'jotai';
import { useRef, useState, type FormEvent } from 'react';
import { useOffline } from '@/features/shared-live/heard';
import { maintenanceAtom } from '@/features/shared-live/live-atoms';
import type { FormProblem } from '@/shared/ui/problem-list';
import { notReady, unconfirmed, type CheckoutPage } from './catalogue';
import { mayPay, type Checkout, type CheckoutEvent, type PaymentMethodKind } from './checkout';
import { pay, type Purchase } from './pay';
import { usePaymentLoading, usePaymentSurface } from './payment-provider';
import { cardProblems, consentProblems, type Details } from './purchase-rules';
import { named, type WalletPayer } from './single-purchase';

interface PaymentInputs {
  place: CheckoutPage;
  checkout: Checkout;
  dispatch: (event: CheckoutEvent) => void;
  details: Details;
  card: () => Purchase;
  wallet: (payer: WalletPayer) => Purchase;
}

/**
 * Whether maintenance prevents new payments. A payment that has started continues (decision I-5).
 */
export function usePaused(checkout: Checkout): boolean {
  return useAtomValue(maintenanceAtom) && mayPay(checkout);
}

export function usePayment({ place, checkout, dispatch, details, card, wallet }: PaymentInputs) {
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
  // The control that was pressed last. Errors are shown there, and wallet texts differ from card
  // texts.
  const [pressed, setPressed] = useState<PaymentMethodKind | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const begin = (by: PaymentMethodKind) => {
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
      dispatch({ is: 'refused', trouble: { ...notReady(place, loading.failed), untried: true } });
      return;
    }
    begin('card');
    void pay(card(), surface, dispatch, () => setBusyWords('Busy right now, trying again')).finally(
      () => setBusyWords(null),
    );
  };
  const onWallet = (event: StripeExpressCheckoutElementConfirmEvent) => {
    if (!surface || !mayPay(checkout) || offline) return event.paymentFailed({ reason: 'fail' });
    begin('wallet');
    void pay(wallet(named(event.billingDetails, details)), surface, (outcome) => {
      // The wallet's sheet closes with the result of the purchase: success or failure.
      if (outcome.is === 'refused' || outcome.is === 'declined' || outcome.is === 'notCharged')
        event.paymentFailed({ reason: 'fail' });
      dispatch(outcome);
    });
  };
  /**
   * Called when the buyer pressed the wallet before the form was complete. The missing parts are
   * listed, marked and focused (interface decision D3).
   */
  const onUnconfirmed = () => {
    const missing = consentProblems(details);
    if (missing.length === 0) return;
    begin('wallet');
    dispatch({ is: 'refused', trouble: unconfirmed(place) });
    document.getElementById(missing[0]?.field ?? '')?.focus();
  };
  return { problems, list, busyWords, pressed, onSubmit, onWallet, onUnconfirmed };
}
