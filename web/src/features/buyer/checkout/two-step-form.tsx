import { useAtom } from 'jotai';
import { useCallback, useState } from 'react';
import { createPaymentIntent } from '@/api/endpoints/buyer';
import type { Draw } from '@/api/wire';
import { dollars, type Price } from '@/shared/money';
import { S, fill } from '@/shared/strings';
import { BuyerFields } from './buyer-fields';
import { detailsAtom } from './checkout-atoms';
import type { Way } from './checkout';
import { ConsentBoxes } from './consent-boxes';
import { DebugPanel } from './debug-panel';
import { OutcomePanel } from './outcome-panel';
import { PaymentPart } from './payment-part';
import { buyerOf, cardProblems } from './purchase-rules';
import { cardPurchase, walletPurchase } from './single-purchase';
import { summaryOf } from './summary';
import { TimerBar } from './timer-bar';
import { useCheckout, useFinish, WALLET_SUCCESS } from './use-checkout';
import { useReservation } from './use-reservation';

interface TwoStepFormProps {
  draw: Draw;
  count: number;
  price: Price;
  walletOnly: boolean;
}

/** Details first, then the payment: the page that links with a wallet in mind lead to. */
export function TwoStepForm({ draw, count, price, walletOnly }: TwoStepFormProps) {
  const scope = `draw:${draw.drawNumber}`;
  const { checkout, say } = useCheckout(scope);
  const [details, setDetails] = useAtom(detailsAtom);
  const [locked, setLocked] = useState(false);
  const [way, setWay] = useState<Way>('card');
  const summary = useCallback(() => summaryOf([{ draw, count }], details.name), [draw, count, details.name]);
  const order = { draw, count, price };
  useReservation(scope, `${count}`, (clientKey) => createPaymentIntent({ drawNumber: draw.drawNumber, ticketCount: count, clientKey, expectedAmount: price.total }));
  useFinish(scope, checkout, summary, way === 'wallet' ? WALLET_SUCCESS : { title: S.purchaseSuccessfulLower, text: fill(S.purchasedCount, { n: count }) });
  const onExpired = useCallback(() => say({ is: 'expired' }), [say]);
  if (checkout.at === 'confirming' || checkout.at === 'lost' || checkout.at === 'notCharged') return <div className="card"><OutcomePanel checkout={checkout} onAgain={() => say({ is: 'again' })} /></div>;
  const complete = cardProblems(details).length === 0;
  return (
    <>
      <TimerBar checkout={checkout} onExtended={(next) => say({ is: 'opened', order: next })} onExpired={onExpired} />
      <section className="card" aria-labelledby="details-title">
        <div className="row">
          <h2 id="details-title">Your details</h2>
          {locked ? <button type="button" className="btn small sec" onClick={() => setLocked(false)}>{S.changeDetails}</button> : null}
        </div>
        {walletOnly ? <p>Your wallet gives us your name, e-mail and phone number.</p> : <BuyerFields details={details} onDetails={setDetails} problems={[]} readOnly={locked} />}
        <ConsentBoxes details={details} onDetails={setDetails} problems={[]} ageWords={S.overEighteenCheckout} />
        {!locked && complete && !walletOnly ? <button type="button" className="btn wide" onClick={() => setLocked(true)}>{S.continueToPayment}</button> : null}
      </section>
      <section className="card" aria-labelledby="payment-title">
        <h2 id="payment-title">Payment</h2>
        <PaymentPart checkout={checkout} say={say} details={details} total={dollars(price.total)} withCard={locked} onWay={setWay} card={() => cardPurchase(order, buyerOf(details))} wallet={(payer) => walletPurchase(order, payer)} />
        {!locked && !walletOnly ? <p className="meta">To pay by card, fill in your details and tick both boxes first.</p> : null}
      </section>
      <DebugPanel checkout={checkout} />
    </>
  );
}
