import type { StripeExpressCheckoutElementConfirmEvent } from '@stripe/stripe-js';
import { useAtom } from 'jotai';
import { useCallback, useEffect, useRef, useState, type FormEvent } from 'react';
import type { Draw } from '@/api/wire';
import { BuyerFields, CardField } from '@/features/buyer/checkout/buyer-fields';
import { isBusy, mayPay } from '@/features/buyer/checkout/checkout';
import { detailsAtom } from '@/features/buyer/checkout/checkout-atoms';
import { ConsentBoxes } from '@/features/buyer/checkout/consent-boxes';
import { OutcomePanel } from '@/features/buyer/checkout/outcome-panel';
import { pay } from '@/features/buyer/checkout/pay';
import { PayButton } from '@/features/buyer/checkout/pay-button';
import { usePaymentSurface } from '@/features/buyer/checkout/payment-provider';
import { cardPurchase, walletPurchase } from '@/features/buyer/checkout/single-purchase';
import { FIELD, buyerOf, cardProblems, consentProblems } from '@/features/buyer/checkout/purchase-rules';
import { summaryOf } from '@/features/buyer/checkout/summary';
import { TroubleCallout } from '@/features/buyer/checkout/trouble-callout';
import { CARD_SUCCESS, WALLET_SUCCESS, useCheckout, useFinish } from '@/features/buyer/checkout/use-checkout';
import { WalletSlot } from '@/features/buyer/checkout/wallet-slot';
import { dollars, priceOf, cents } from '@/shared/money';
import { S } from '@/shared/strings';
import { ProblemList, type FormProblem } from '@/shared/ui/problem-list';
import { usePageTitle } from '@/shared/ui/page-title';
import { PriceLines } from './price-lines';
import { QuantityHead } from './quantity-head';

interface PurchaseFormProps {
  draw: Draw;
  count: number;
  onCount: (count: number) => void;
  available: number;
  note: string | null;
}

/** 'Purchase Tickets': boxes and wallet first, because a wallet brings the buyer's details with it; the card below. */
export function PurchaseForm({ draw, count, onCount, available, note }: PurchaseFormProps) {
  const scope = `draw:${draw.drawNumber}`;
  const { checkout, say } = useCheckout(scope);
  const [details, setDetails] = useAtom(detailsAtom);
  const [problems, setProblems] = useState<readonly FormProblem[]>([]);
  const [busyWords, setBusyWords] = useState<string | null>(null);
  const [way, setWay] = useState<'card' | 'wallet'>('card');
  const list = useRef<HTMLDivElement>(null);
  const surface = usePaymentSurface();
  const price = priceOf(cents(draw.ticketPrice), count, draw.passStripeFees);
  const busy = isBusy(checkout);
  const summary = useCallback(() => summaryOf([{ draw, count }], details.name), [draw, count, details.name]);
  useFinish(scope, checkout, summary, way === 'card' ? CARD_SUCCESS : WALLET_SUCCESS);
  usePageTitle(`${draw.homeTeam} v ${draw.awayTeam}`, problems.length > 0);
  const trouble = checkout.at === 'choosing' ? checkout.trouble : null;
  useEffect(() => {
    if (trouble?.available !== undefined) document.getElementById(FIELD.quantity)?.focus();
  }, [trouble]);

  const complain = (found: readonly FormProblem[]) => {
    setProblems(found);
    requestAnimationFrame(() => list.current?.focus());
  };
  const order = { draw, count, price };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!mayPay(checkout)) return;
    const found = cardProblems(details);
    if (found.length > 0) return complain(found);
    if (!surface) return complain([{ field: FIELD.card, text: S.paymentNotReady }]);
    setProblems([]);
    setWay('card');
    void pay(cardPurchase(order, buyerOf(details)), surface, say, () => setBusyWords('Busy right now, trying again')).finally(() => setBusyWords(null));
  };
  const onWallet = (event: StripeExpressCheckoutElementConfirmEvent) => {
    if (!surface || !mayPay(checkout)) return event.paymentFailed({ reason: 'fail' });
    setProblems([]);
    setWay('wallet');
    void pay(walletPurchase(order, event.billingDetails), surface, (happening) => {
      if (happening.is === 'refused' || happening.is === 'declined') event.paymentFailed({ reason: 'fail' });
      say(happening);
    });
  };
  const onUnconfirmed = () => {
    const found = consentProblems(details);
    if (found.length === 0) return;
    setProblems(found);
    document.getElementById(found[0]?.field ?? '')?.focus();
  };

  if (checkout.at === 'confirming' || checkout.at === 'lost' || checkout.at === 'notCharged') return <OutcomePanel checkout={checkout} onAgain={() => say({ is: 'again' })} />;
  return (
    <form noValidate onSubmit={onSubmit} aria-labelledby="purchase-title">
      <ProblemList ref={list} problems={problems} />
      <QuantityHead count={count} available={available} onCount={onCount} disabled={busy} note={note} />
      <PriceLines ticket={draw.ticketPrice} count={count} price={price} />
      <fieldset disabled={busy}>
        <ConsentBoxes details={details} onDetails={setDetails} problems={problems} ageWords={S.overEighteenDraw} />
        <WalletSlot confirmed={details.overEighteen && details.acceptsTerms} busy={busy} onUnconfirmed={onUnconfirmed} onConfirm={onWallet} />
        <TroubleCallout checkout={checkout} />
        <BuyerFields details={details} onDetails={setDetails} problems={problems} />
        <CardField />
      </fieldset>
      <PayButton checkout={checkout} total={dollars(price.total)} ready={details.overEighteen && details.acceptsTerms} busyWords={busyWords} />
    </form>
  );
}
