import { useAtom, useAtomValue, useSetAtom } from 'jotai';
import { useCallback } from 'react';
import type { Draw } from '@/api/wire';
import { useLocation } from 'wouter';
import { BuyerFields } from '@/features/buyer/checkout/form/buyer-fields';
import { isCheckoutBusy, type OpenOrder } from '@/features/buyer/checkout/state/checkout';
import { purchaseDetailsAtom } from '@/features/buyer/checkout/state/checkout-atoms';
import { ConsentBoxes } from '@/features/buyer/checkout/form/consent-boxes';
import { OutcomePanel, hasOutcome } from '@/features/buyer/checkout/outcome/outcome-panel';
import { PaymentStep } from '@/features/buyer/checkout/payment/payment-step';
import { buyerOfDetails, cardFormProblems } from '@/features/buyer/checkout/form/purchase-rules';
import { dropCachedIntentResponse } from '@/features/buyer/checkout/payment/intent-response-cache';
import { buildPurchaseSummary } from '@/features/buyer/checkout/state/summary';
import { TimerBar } from '@/features/buyer/checkout/reservation/timer-bar';
import {
  WALLET_SUCCESS_TOAST,
  checkoutSuccessToast,
  useCheckout,
  useCompletePurchase,
} from '@/features/buyer/checkout/state/use-checkout';
import { useIsPaymentPaused, usePayment } from '@/features/buyer/checkout/payment/use-payment';
import { useReservation } from '@/features/buyer/checkout/reservation/use-reservation';
import { useRefreshStalePrice } from '@/features/buyer/checkout/form/use-price-refresh';
import { useServerNow } from '@/features/shared-live/use-live';
import { liveStateAtom } from '@/features/shared-live/live-atoms';
import { formatDollars } from '@/shared/money';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { ProblemList } from '@/shared/ui/problem-list';
import { usePageTitle } from '@/shared/ui/page-title';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { CART_PURCHASE_SCOPE, refreshCartFromDraws, type Cart } from './cart';
import { cartAtom, emptyCartAtom, cartTotalsAtom } from './cart-atoms';
import {
  buildCartCardPurchase,
  buildCartWalletPurchase,
  cartContentsKey,
  openCartPayment,
} from './cart-purchase';
import { drawWithOwnReservedTickets } from './use-fresh-cart';

const EXPIRY_REDIRECT_DELAY_MS = 2_000;

/**
 * Returns the handler of an expired reservation: it shows a toast, empties the cart and, after two
 * seconds, opens the club's page or home (specification line A:187).
 */
function useExpireCart(onExpired: () => void): () => void {
  const club = useAtomValue(cartAtom).items[0]?.clubSlug;
  const empty = useSetAtom(emptyCartAtom);
  const showToast = useSetAtom(showToastAtom);
  const [, navigate] = useLocation();
  return useCallback(() => {
    onExpired();
    showToast({ title: S.reservationExpired, bad: true });
    setTimeout(() => navigate(club ? `/club/${club}` : '/'), EXPIRY_REDIRECT_DELAY_MS);
    empty();
  }, [onExpired, showToast, navigate, club, empty]);
}

/**
 * Returns a function that builds the summary for the thank-you page, without draws that are not
 * loaded.
 */
function useCartSummary(cart: Cart, buyer: string) {
  const draws = useAtomValue(liveStateAtom).draws;
  return () =>
    buildPurchaseSummary(
      cart.items.flatMap((item) => {
        const draw = draws[item.drawNumber];
        return draw ? [{ draw, count: item.quantity }] : [];
      }),
      buyer,
    );
}

/**
 * The checkout of the whole cart: details, consent boxes, wallet and card, with the reservation
 * timer.
 */
export function CartForm({ onExpired }: { onExpired: () => void }) {
  const cart = useAtomValue(cartAtom);
  const { total, tickets } = useAtomValue(cartTotalsAtom);
  const empty = useSetAtom(emptyCartAtom);
  const { checkout, dispatch } = useCheckout(CART_PURCHASE_SCOPE);
  const change = useSetAtom(cartAtom);
  const now = useServerNow();
  const takePrices = useCallback(
    (draws: readonly Draw[]) =>
      change((last) =>
        refreshCartFromDraws(
          last,
          draws.map((draw) => drawWithOwnReservedTickets(draw, now())),
          now(),
        ),
      ),
    [change, now],
  );
  useRefreshStalePrice(
    checkout,
    cart.items.map((item) => item.drawNumber),
    takePrices,
  );
  const [details, setDetails] = useAtom(purchaseDetailsAtom);
  const paused = useIsPaymentPaused(checkout);
  useReservation({
    scope: CART_PURCHASE_SCOPE,
    page: 'cart',
    contents: cart.items.length > 0 && !paused ? cartContentsKey(cart) : null,
    open: (clientKey) => openCartPayment(cart, total, clientKey),
  });
  const payment = usePayment({
    page: 'cart',
    checkout,
    dispatch,
    details,
    card: () => buildCartCardPurchase(cart, total, buyerOfDetails(details)),
    wallet: (payer) => buildCartWalletPurchase(cart, total, payer),
  });
  const summary = useCartSummary(cart, details.name);
  usePageTitle('Cart checkout', payment.problems.length > 0);
  useCompletePurchase(CART_PURCHASE_SCOPE, checkout, {
    summary,
    toast: payment.pressed === 'wallet' ? WALLET_SUCCESS_TOAST : checkoutSuccessToast(tickets),
    onDone: empty,
  });
  const leave = useExpireCart(onExpired);
  const expire = useCallback(() => {
    dispatch({ type: 'expired' });
    leave();
  }, [dispatch, leave]);
  const extended = (order: OpenOrder) => {
    // Drops the cached response of the opened order, because its expiry is outdated. Reusing the
    // response after a declined card would undo the extension.
    dropCachedIntentResponse(CART_PURCHASE_SCOPE);
    dispatch({ type: 'opened', order });
  };
  if (hasOutcome(checkout))
    return (
      <div className="card">
        <OutcomePanel checkout={checkout} onRetry={() => dispatch({ type: 'again' })} />
      </div>
    );
  return (
    <>
      {paused ? null : <TimerBar checkout={checkout} onExtended={extended} onExpired={expire} />}
      <form noValidate onSubmit={payment.onSubmit} aria-label="Cart checkout">
        <ProblemList ref={payment.list} problems={payment.problems} />
        <section className="card" aria-labelledby="details-title">
          <h2 id="details-title">Your details</h2>
          <fieldset className="bare" disabled={isCheckoutBusy(checkout)}>
            <ConsentBoxes
              details={details}
              onDetails={setDetails}
              problems={payment.problems}
              ageText={S.overEighteenCart}
            />
            <BuyerFields details={details} onDetails={setDetails} problems={payment.problems} />
          </fieldset>
        </section>
        <section className="card" aria-labelledby="payment-title">
          <h2 id="payment-title">Payment</h2>
          <PaymentStep
            checkout={checkout}
            dispatch={dispatch}
            details={details}
            total={formatDollars(total)}
            ready={cardFormProblems(details).length === 0}
            withCard
            pressed={payment.pressed}
            busyText={payment.busyWords}
            onUnconfirmed={payment.onUnconfirmed}
            onWallet={payment.onWallet}
          />
        </section>
      </form>
    </>
  );
}
