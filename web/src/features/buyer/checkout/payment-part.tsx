import type { StripeExpressCheckoutElementConfirmEvent } from '@stripe/stripe-js';
import { useState, useRef, type FormEvent } from 'react';
import { S } from '@/shared/strings';
import { ProblemList, type FormProblem } from '@/shared/ui/problem-list';
import { CardField } from './buyer-fields';
import { isBusy, mayPay, type Checkout, type Happening, type Way } from './checkout';
import { pay, type Purchase } from './pay';
import { PayButton } from './pay-button';
import { usePaymentSurface } from './payment-provider';
import { FIELD, consentProblems, type Details } from './purchase-rules';
import type { WalletPayer } from './single-purchase';
import { TroubleCallout } from './trouble-callout';
import { WalletSlot } from './wallet-slot';

interface PaymentPartProps {
  checkout: Checkout;
  say: (happening: Happening) => void;
  details: Details;
  total: string;
  /** Whether the card may be filled in already; the wallet stands there in any case. */
  withCard: boolean;
  card: () => Purchase;
  wallet: (payer: WalletPayer) => Purchase;
  onWay: (way: Way) => void;
}

/** Wallet, card and button, for the pages where the details are a step of their own. */
export function PaymentPart({ checkout, say, details, total, withCard, card, wallet, onWay }: PaymentPartProps) {
  const surface = usePaymentSurface();
  const [problems, setProblems] = useState<readonly FormProblem[]>([]);
  const [busyWords, setBusyWords] = useState<string | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const confirmed = details.overEighteen && details.acceptsTerms;
  const complain = (found: readonly FormProblem[]) => {
    setProblems(found);
    requestAnimationFrame(() => list.current?.focus());
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!mayPay(checkout)) return;
    if (!confirmed) return complain(consentProblems(details));
    if (!surface) return complain([{ field: FIELD.card, text: `${S.systemNotReadyTitle}: ${S.waitAMoment}` }]);
    setProblems([]);
    onWay('card');
    void pay(card(), surface, say, () => setBusyWords('Busy right now, trying again')).finally(() => setBusyWords(null));
  };
  const onWallet = (event: StripeExpressCheckoutElementConfirmEvent) => {
    if (!surface || !mayPay(checkout)) return event.paymentFailed({ reason: 'fail' });
    onWay('wallet');
    void pay(wallet(event.billingDetails), surface, (happening) => {
      if (happening.is === 'refused' || happening.is === 'declined') event.paymentFailed({ reason: 'fail' });
      say(happening);
    });
  };
  return (
    <form noValidate onSubmit={onSubmit} aria-label="Payment">
      <ProblemList ref={list} problems={problems} />
      <TroubleCallout checkout={checkout} />
      <fieldset disabled={isBusy(checkout)} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
        <WalletSlot confirmed={confirmed} busy={isBusy(checkout)} onUnconfirmed={() => complain([{ field: FIELD.age, text: `${S.confirmationRequired}: ${S.confirmationRequiredText}` }])} onConfirm={onWallet} />
        {withCard ? <CardField /> : null}
      </fieldset>
      {withCard ? <PayButton checkout={checkout} total={total} ready={confirmed} busyWords={busyWords} /> : null}
    </form>
  );
}
