import { useAtom } from 'jotai';
import { useCallback, useEffect, useState } from 'react';
import { createPaymentIntent } from '@/api/endpoints/buyer';
import type { Draw } from '@/api/wire';
import { formatDollars, type Price } from '@/shared/money';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { ProblemList } from '@/shared/ui/problem-list';
import { usePageTitle } from '@/shared/ui/page-title';
import { BuyerFields } from './buyer-fields';
import { purchaseDetailsAtom } from '../state/checkout-atoms';
import { purchasedTicketCount, isCheckoutBusy, type Checkout } from '../state/checkout';
import { ConsentBoxes } from './consent-boxes';
import { DebugPanel } from './debug-panel';
import { OutcomePanel, hasOutcome } from '../outcome/outcome-panel';
import { PaymentStep } from '../payment/payment-step';
import { EMPTY_PURCHASE_DETAILS, buyerOfDetails, cardFormProblems } from './purchase-rules';
import { forgetSavedCheckout, readSavedCheckout, saveCheckout } from './saved-checkout';
import { buildDrawCardPurchase, buildDrawWalletPurchase } from '../payment/single-purchase';
import { buildPurchaseSummary } from '../state/summary';
import { TimerBar } from '../reservation/timer-bar';
import {
  WALLET_SUCCESS_TOAST,
  checkoutSuccessToast,
  useCheckout,
  useCompletePurchase,
} from '../state/use-checkout';
import { useIsPaymentPaused, usePayment } from '../payment/use-payment';
import { useReservation } from '../reservation/use-reservation';
import { useRefreshStalePrice } from './use-price-refresh';
import type { WalletKind } from '../payment/wallet-button-slot';

interface TwoStepCheckoutFormProps {
  draw: Draw;
  count: number;
  price: Price;
  /** Whether the link or the stored data selects a wallet, so that no details need to be typed. */
  walletOnly: boolean;
  walletType: WalletKind | null;
}

/** Fills in the saved details of an earlier visit once, if the form is still empty. */
function useFillSavedDetails() {
  const [details, setDetails] = useAtom(purchaseDetailsAtom);
  useEffect(() => {
    setDetails((typed) =>
      JSON.stringify(typed) === JSON.stringify(EMPTY_PURCHASE_DETAILS)
        ? readSavedCheckout().details
        : typed,
    );
  }, [setDetails]);
  return [details, setDetails] as const;
}

/**
 * Whether the payment form can be shown: the payment was opened, or there is a reason why it was
 * not (specification line A:122).
 */
function useIsPaymentFormReady(checkout: Checkout): boolean {
  const [opened, setOpened] = useState(false);
  const now = checkout.state !== 'choosing' || checkout.order !== null || checkout.error !== null;
  useEffect(() => {
    if (now) setOpened(true);
  }, [now]);
  return opened || now;
}

/**
 * The two-step checkout: details first, then the payment. Links that select a wallet open this
 * page.
 */
export function TwoStepCheckoutForm({
  draw,
  count,
  price,
  walletOnly: walletOnlyWanted,
  walletType,
}: TwoStepCheckoutFormProps) {
  const scope = `draw:${draw.drawNumber}`;
  const { checkout, dispatch } = useCheckout(scope);
  useRefreshStalePrice(checkout, [draw.drawNumber]);
  const [details, setDetails] = useFillSavedDetails();
  const [locked, setLocked] = useState(false);
  const [byCard, setByCard] = useState(false);
  const walletOnly = walletOnlyWanted && !byCard;
  const [lapsed, setLapsed] = useState(false);
  const opened = useIsPaymentFormReady(checkout);
  const paused = useIsPaymentPaused(checkout);
  const order = { draw, count, price };
  const buyer = buyerOfDetails(details);
  useReservation({
    scope,
    page: 'checkout',
    contents: paused ? null : `${count}`,
    open: (clientKey) =>
      createPaymentIntent({
        drawNumber: draw.drawNumber,
        ticketCount: count,
        clientKey,
        expectedAmount: price.total,
      }),
  });
  const payment = usePayment({
    page: 'checkout',
    checkout,
    dispatch,
    details,
    card: () => buildDrawCardPurchase(order, buyer, 'checkout'),
    wallet: (payer) => buildDrawWalletPurchase(order, payer, 'checkout'),
  });
  usePageTitle('Checkout', payment.problems.length > 0);
  const bought = purchasedTicketCount(checkout, count);
  useCompletePurchase(scope, checkout, {
    summary: () => buildPurchaseSummary([{ draw, count: bought }], details.name),
    toast: payment.pressed === 'wallet' ? WALLET_SUCCESS_TOAST : checkoutSuccessToast(bought),
    onDone: forgetSavedCheckout,
  });
  const onExpired = useCallback(() => {
    dispatch({ type: 'expired' });
    setLapsed(true);
  }, [dispatch]);
  if (hasOutcome(checkout))
    return (
      <div className="card">
        <OutcomePanel checkout={checkout} onRetry={() => dispatch({ type: 'again' })} />
      </div>
    );
  if (!opened && !paused)
    return (
      <div className="checkout-wait">
        <span className="spinner" role="status" aria-label="Loading" />
      </div>
    );
  const complete = cardFormProblems(details).length === 0;
  const onContinue = () => {
    setLocked(true);
    saveCheckout(details, count);
    requestAnimationFrame(() => document.getElementById('payment-title')?.focus());
  };
  return (
    <>
      {paused ? null : (
        <TimerBar
          checkout={checkout}
          lapsed={lapsed}
          onExtended={(next) => dispatch({ type: 'opened', order: next })}
          onExpired={onExpired}
        />
      )}
      <form noValidate onSubmit={payment.onSubmit} aria-label="Checkout">
        <ProblemList ref={payment.list} problems={payment.problems} />
        <section className="card" aria-labelledby="details-title">
          <div className="row">
            <h2 id="details-title">Your details</h2>
            {locked ? (
              <button
                type="button"
                className="btn small sec"
                disabled={isCheckoutBusy(checkout)}
                onClick={() => setLocked(false)}
              >
                {S.changeDetails}
              </button>
            ) : null}
          </div>
          <fieldset className="bare" disabled={isCheckoutBusy(checkout)}>
            {walletOnly ? (
              <p>Your wallet gives us your name, e-mail and phone number.</p>
            ) : (
              <BuyerFields
                details={details}
                onDetails={setDetails}
                problems={payment.problems}
                readOnly={locked}
              />
            )}
            <ConsentBoxes
              details={details}
              onDetails={setDetails}
              problems={payment.problems}
              ageText={S.overEighteenCheckout}
            />
          </fieldset>
          {!locked && complete && !walletOnly ? (
            <button type="button" className="btn wide" onClick={onContinue}>
              {S.continueToPayment}
            </button>
          ) : null}
        </section>
        <section className="card" aria-labelledby="payment-title">
          <h2 id="payment-title" tabIndex={-1}>
            Payment
          </h2>
          <PaymentStep
            checkout={checkout}
            dispatch={dispatch}
            details={details}
            total={formatDollars(price.total)}
            ready={complete}
            withCard={locked}
            onlyWallet={walletType}
            onNoWallet={() => setByCard(true)}
            pressed={payment.pressed}
            busyText={payment.busyWords}
            onUnconfirmed={payment.onUnconfirmed}
            onWallet={payment.onWallet}
          />
          {locked ? null : (
            <p className="meta">
              {walletOnly ? (
                <>
                  Would you rather use a card?{' '}
                  <button type="button" className="link-btn" onClick={() => setByCard(true)}>
                    Pay with card
                  </button>
                </>
              ) : (
                'To pay by card, fill in your details and tick both boxes first.'
              )}
            </p>
          )}
        </section>
      </form>
      <DebugPanel checkout={checkout} />
    </>
  );
}
