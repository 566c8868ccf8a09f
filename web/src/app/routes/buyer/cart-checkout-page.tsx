import '@/features/buyer/checkout/checkout.css';
import '@/features/buyer/checkout/two-step.css';
import { useAtomValue, useSetAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { CART_PURCHASE_SCOPE } from '@/features/buyer/cart/cart';
import { cartAtom, reloadCartAtom, cartTotalsAtom } from '@/features/buyer/cart/cart-atoms';
import { CartForm } from '@/features/buyer/cart/cart-form';
import { CartLines } from '@/features/buyer/cart/cart-lines';
import { HelpDialog } from '@/features/buyer/cart/help-dialog';
import { useFreshCart } from '@/features/buyer/cart/use-fresh-cart';
import { finishedOrderToken } from '@/features/buyer/checkout/state/purchase-attempt';
import { isCheckoutBusy } from '@/features/buyer/checkout/state/checkout';
import { checkoutAtom } from '@/features/buyer/checkout/state/checkout-atoms';
import { FinishedPurchasePanel } from '@/features/buyer/checkout/outcome/finished-purchase-panel';
import { PaymentProvider } from '@/features/buyer/checkout/payment/payment-provider';
import { liveStateAtom } from '@/features/shared-live/live-atoms';
import { formatDollars } from '@/shared/money';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { usePageTitle } from '@/shared/ui/page-title';

const EMPTY_CART_REDIRECT_DELAY_MS = 300;

/**
 * Opens the landing page if the cart is still empty after 300 ms. A cart stored in the browser is
 * loaded instead. Never opens it during a payment (decision J-11) or after a purchase.
 */
function useRedirectWhenCartEmpty(staying: boolean, bought: boolean): void {
  const empty = useAtomValue(cartAtom).items.length === 0;
  const reload = useSetAtom(reloadCartAtom);
  const [, navigate] = useLocation();
  useEffect(() => {
    if (!empty || staying) return;
    const timer = setTimeout(() => {
      if (!reload(false) && !bought) navigate('/');
    }, EMPTY_CART_REDIRECT_DELAY_MS);
    return () => clearTimeout(timer);
  }, [empty, staying, bought, reload, navigate]);
}

/** The cart's checkout: one club, one payment and a reservation of two minutes. */
export function Page() {
  const cart = useAtomValue(cartAtom);
  const { total, tickets } = useAtomValue(cartTotalsAtom);
  const draws = useAtomValue(liveStateAtom).draws;
  const checkout = useAtomValue(checkoutAtom(CART_PURCHASE_SCOPE));
  const [expired, setExpired] = useState(false);
  const { fresh, changes } = useFreshCart();
  const empty = cart.items.length === 0;
  const underWay = checkout.state !== 'choosing';
  const finished = empty && !underWay ? finishedOrderToken(CART_PURCHASE_SCOPE) : null;
  useRedirectWhenCartEmpty(expired || underWay || changes.length > 0, finished !== null);
  usePageTitle(expired ? S.reservationExpiredPage : 'Cart checkout');
  if (expired)
    return (
      <main className="plain-page" id="main">
        <h1>{S.reservationExpiredPage}</h1>
        <p>Your tickets have been given back, and you have not been charged.</p>
        <div className="actions">
          <a className="btn" href="/#live-draws">
            Find Draws
          </a>
        </div>
      </main>
    );
  if (empty && changes.length > 0)
    return (
      <main className="plain-page" id="main">
        <h1>Your cart is empty</h1>
        <CartChangesNotice changes={changes} />
        <div className="actions">
          <a className="btn" href="/#live-draws">
            Find Draws
          </a>
        </div>
      </main>
    );
  if (finished !== null)
    return (
      <main className="checkout" id="main">
        <h1>Cart checkout</h1>
        <FinishedPurchasePanel orderToken={finished}>
          <a className="btn sec" href="/#live-draws">
            Find Draws
          </a>
        </FinishedPurchasePanel>
      </main>
    );
  if (!fresh || (empty && !underWay))
    return (
      <main className="plain-page" id="main">
        <h1>{S.loadingCart}</h1>
      </main>
    );
  const account = draws[cart.items[0]?.drawNumber ?? 0]?.connectedAccountId ?? null;
  return (
    <main className="checkout is-wide" id="main">
      <div className="row">
        <h1>Cart checkout</h1>
        <HelpDialog />
      </div>
      <CartChangesNotice changes={changes} />
      {/* Hides the summary after a purchase: the cart is then empty, and its total is zero. */}
      {empty ? null : (
        <details className="card cart-summary" open={window.innerWidth >= 900 || undefined}>
          <summary className="row">
            <strong>
              {tickets} {tickets === 1 ? 'ticket' : 'tickets'} · {formatDollars(total)}
            </strong>
          </summary>
          <CartLines frozen={isCheckoutBusy(checkout)} />
          <div className="sum-row total">
            <span>Total</span>
            <span>{formatDollars(total)}</span>
          </div>
        </details>
      )}
      <div className="checkout-main">
        <PaymentProvider account={account} amount={Math.max(total, 1)}>
          <CartForm onExpired={() => setExpired(true)} />
        </PaymentProvider>
      </div>
    </main>
  );
}

function CartChangesNotice({ changes }: { changes: readonly string[] }) {
  if (changes.length === 0) return null;
  return (
    <div className="callout is-warn" role="status">
      {changes.map((change) => (
        <p key={change}>{change}</p>
      ))}
    </div>
  );
}
