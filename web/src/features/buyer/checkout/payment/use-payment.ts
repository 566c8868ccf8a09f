/**
 * Handles the pay button and the wallet of the draw page, the checkout and the cart: validates,
 * shows problems, pays.
 */
import type { StripeExpressCheckoutElementConfirmEvent } from '@stripe/stripe-js';
import { useAtomValue } from 'jotai';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { useIsOffline } from '@/features/shared-live/server-contact';
import { maintenanceAtom } from '@/features/shared-live/live-atoms';
import type { FormProblem } from '@/shared/ui/problem-list';
import {
  paymentNotReadyError,
  consentsMissingError,
  type CheckoutPage,
} from '../errors/error-catalogue';
import { canPay } from '../state/checkout';
import type { Checkout, CheckoutDispatch, PaymentMethodKind } from '../state/checkout';
import { carryOutPurchase, type Purchase } from './pay';
import { useStripeLoading, usePaymentGateway } from './payment-provider';
import {
  PURCHASE_FIELD_IDS,
  cardFormProblems,
  consentProblems,
  type PurchaseDetails,
} from '../form/purchase-rules';
import { payerWithTypedName, type WalletPayer } from './single-purchase';

interface PaymentInputs {
  page: CheckoutPage;
  checkout: Checkout;
  dispatch: CheckoutDispatch;
  details: PurchaseDetails;
  card: () => Purchase;
  wallet: (payer: WalletPayer) => Purchase;
}

/**
 * Whether maintenance prevents new payments. A payment that has started continues (decision I-5).
 */
export function useIsPaymentPaused(checkout: Checkout): boolean {
  return useAtomValue(maintenanceAtom) && canPay(checkout);
}

export function usePayment({ page, checkout, dispatch, details, card, wallet }: PaymentInputs) {
  const gateway = usePaymentGateway();
  const loading = useStripeLoading();
  const offline = useIsOffline();
  const [formProblems, setProblems] = useState<readonly FormProblem[]>([]);
  const left = cardFormProblems(details);
  const problems = formProblems.map((problem) => ({
    ...problem,
    isEdited: !left.some(({ field }) => field === problem.field),
  }));
  const [busyText, setBusyText] = useState<string | null>(null);
  // The control that was pressed last, card or wallet. Errors are shown beside it, and wallet texts
  // differ from card texts.
  const [pressed, setPressed] = useState<PaymentMethodKind | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const confirmed = details.overEighteen && details.acceptsTerms;
  useEffect(() => {
    if (confirmed) dispatch({ type: 'consented' });
  }, [confirmed, dispatch]);
  const begin = (by: PaymentMethodKind) => {
    setProblems([]);
    setPressed(by);
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!canPay(checkout) || offline) return;
    setPressed('card');
    setProblems(left);
    if (left.length > 0) {
      requestAnimationFrame(() => list.current?.focus());
      return;
    }
    if (!gateway) {
      if (loading.failed) loading.reload();
      dispatch({
        type: 'refused',
        error: {
          ...paymentNotReadyError(page, loading.failed || loading.refused),
          notAttempted: true,
        },
      });
      return;
    }
    begin('card');
    void carryOutPurchase(card(), gateway, dispatch, () =>
      setBusyText('Busy right now, trying again'),
    ).finally(() => setBusyText(null));
  };
  const onWallet = (event: StripeExpressCheckoutElementConfirmEvent) => {
    if (!gateway || !canPay(checkout) || offline) return event.paymentFailed({ reason: 'fail' });
    begin('wallet');
    void carryOutPurchase(
      wallet(payerWithTypedName(event.billingDetails, details)),
      gateway,
      (outcome) => {
        // Tells the wallet that the purchase failed.
        if (
          outcome.type === 'refused' ||
          outcome.type === 'declined' ||
          outcome.type === 'notCharged'
        )
          event.paymentFailed({ reason: 'fail' });
        dispatch(outcome);
      },
    );
  };
  /**
   * Called when the buyer pressed the wallet before both consent boxes were ticked. Shows an error
   * and focuses the box that ticks both, or else the one that is not ticked (decision M-15).
   */
  const onUnconfirmed = () => {
    const missing = consentProblems(details);
    if (missing.length === 0) return;
    begin('wallet');
    dispatch({ type: 'refused', error: consentsMissingError(page) });
    const field = missing.length > 1 ? PURCHASE_FIELD_IDS.bothConsents : missing[0]?.field;
    document.getElementById(field ?? '')?.focus();
  };
  return { problems, list, busyWords: busyText, pressed, onSubmit, onWallet, onUnconfirmed };
}
