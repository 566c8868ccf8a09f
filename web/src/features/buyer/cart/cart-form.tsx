import { useAtom, useAtomValue, useSetAtom } from 'jotai';
import { useCallback, useState } from 'react';
import { useLocation } from 'wouter';
import { BuyerFields } from '@/features/buyer/checkout/buyer-fields';
import { detailsAtom } from '@/features/buyer/checkout/checkout-atoms';
import type { Way } from '@/features/buyer/checkout/checkout';
import { ConsentBoxes } from '@/features/buyer/checkout/consent-boxes';
import { OutcomePanel } from '@/features/buyer/checkout/outcome-panel';
import { PaymentPart } from '@/features/buyer/checkout/payment-part';
import { buyerOf, cardProblems } from '@/features/buyer/checkout/purchase-rules';
import { summaryOf } from '@/features/buyer/checkout/summary';
import { TimerBar } from '@/features/buyer/checkout/timer-bar';
import { useCheckout, useFinish, WALLET_SUCCESS } from '@/features/buyer/checkout/use-checkout';
import { useReservation } from '@/features/buyer/checkout/use-reservation';
import { liveAtom } from '@/features/shared-live/live-atoms';
import { dollars } from '@/shared/money';
import { S } from '@/shared/strings';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import { cartAtom, emptyCartAtom, totalsAtom } from './cart-atoms';
import { CART_SCOPE, cartByCard, cartByWallet, openCart } from './cart-purchase';

const LEAVES_AFTER_MS = 2_000;

/** Details, boxes, wallet and card for the whole cart, against the clock. */
export function CartForm({ onExpired }: { onExpired: () => void }) {
  const cart = useAtomValue(cartAtom);
  const { total } = useAtomValue(totalsAtom);
  const draws = useAtomValue(liveAtom).draws;
  const empty = useSetAtom(emptyCartAtom);
  const showToast = useSetAtom(showToastAtom);
  const [, navigate] = useLocation();
  const { checkout, say } = useCheckout(CART_SCOPE);
  const [details, setDetails] = useAtom(detailsAtom);
  const [way, setWay] = useState<Way>('card');
  const wanted = cart.items.map((item) => `${item.drawId}×${item.quantity}`).join(' ');
  useReservation(CART_SCOPE, wanted, (clientKey) => openCart(cart, clientKey));
  const summary = useCallback(
    () => summaryOf(cart.items.flatMap((item) => { const draw = draws[item.drawNumber]; return draw ? [{ draw, count: item.quantity }] : []; }), details.name),
    [cart, draws, details.name],
  );
  useFinish(CART_SCOPE, checkout, summary, way === 'wallet' ? WALLET_SUCCESS : { title: S.purchaseSuccessful, text: S.checkEmail }, empty);
  const club = cart.items[0]?.clubSlug;
  const expire = useCallback(() => {
    say({ is: 'expired' });
    onExpired();
    showToast({ title: S.reservationExpired, bad: true });
    setTimeout(() => navigate(club ? `/club/${club}` : '/'), LEAVES_AFTER_MS);
    empty();
  }, [say, onExpired, showToast, navigate, club, empty]);
  if (checkout.at === 'confirming' || checkout.at === 'lost' || checkout.at === 'notCharged') return <div className="card"><OutcomePanel checkout={checkout} onAgain={() => say({ is: 'again' })} /></div>;
  const complete = cardProblems(details).length === 0;
  return (
    <>
      <TimerBar checkout={checkout} onExtended={(order) => say({ is: 'opened', order })} onExpired={expire} />
      <section className="card" aria-labelledby="details-title">
        <h2 id="details-title">Your details</h2>
        <ConsentBoxes details={details} onDetails={setDetails} problems={[]} ageWords={S.overEighteenCart} />
        <BuyerFields details={details} onDetails={setDetails} problems={[]} />
      </section>
      <section className="card" aria-labelledby="payment-title">
        <h2 id="payment-title">Payment</h2>
        <PaymentPart checkout={checkout} say={say} details={details} total={dollars(total)} withCard={complete} onWay={setWay} card={() => cartByCard(cart, buyerOf(details))} wallet={(payer) => cartByWallet(cart, payer)} />
        {complete ? null : <p className="meta">To pay by card, fill in your details and tick both boxes first.</p>}
      </section>
    </>
  );
}
