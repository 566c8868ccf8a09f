import { useAtom } from 'jotai';
import { useEffect } from 'react';
import type { Draw } from '@/api/wire';
import { BuyerFields, CardField } from '@/features/buyer/checkout/form/buyer-fields';
import { purchasedTicketCount, isCheckoutBusy } from '@/features/buyer/checkout/state/checkout';
import { purchaseDetailsAtom } from '@/features/buyer/checkout/state/checkout-atoms';
import { ConsentBoxes } from '@/features/buyer/checkout/form/consent-boxes';
import { OutcomePanel, hasOutcome } from '@/features/buyer/checkout/outcome/outcome-panel';
import { MaintenanceNote } from '@/features/buyer/checkout/errors/maintenance-note';
import { PayButton } from '@/features/buyer/checkout/payment/pay-button';
import { PURCHASE_FIELD_IDS, buyerOfDetails } from '@/features/buyer/checkout/form/purchase-rules';
import {
  buildDrawCardPurchase,
  buildDrawWalletPurchase,
} from '@/features/buyer/checkout/payment/single-purchase';
import { buildPurchaseSummary } from '@/features/buyer/checkout/state/summary';
import { ErrorCallout } from '@/features/buyer/checkout/errors/error-callout';
import {
  CARD_SUCCESS_TOAST,
  WALLET_SUCCESS_TOAST,
  useCheckout,
  useCompletePurchase,
} from '@/features/buyer/checkout/state/use-checkout';
import { useRefreshStalePrice } from '@/features/buyer/checkout/form/use-price-refresh';
import { useIsPaymentPaused, usePayment } from '@/features/buyer/checkout/payment/use-payment';
import { WalletButtonSlot } from '@/features/buyer/checkout/payment/wallet-button-slot';
import { dayText } from '@/shared/dates';
import { formatDollars, priceOf, decimalToCents } from '@/shared/money';
import { isCachedCopy } from '@/shared/offline';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { ProblemList } from '@/shared/ui/problem-list';
import { usePageTitle } from '@/shared/ui/page-title';
import { PriceLines } from './price-lines';
import { TicketQuantity } from './quantity-head';

interface PurchaseFormProps {
  draw: Draw;
  count: number;
  onCount: (count: number) => void;
  available: number;
  note: string | null;
}

/**
 * The form 'Purchase Tickets'. Consent boxes and wallet come first, because a wallet supplies the
 * buyer's details; the card is below.
 */
export function PurchaseForm({ draw, count, onCount, available, note }: PurchaseFormProps) {
  const scope = `draw:${draw.drawNumber}`;
  const { checkout, dispatch } = useCheckout(scope);
  const [details, setDetails] = useAtom(purchaseDetailsAtom);
  const price = priceOf(decimalToCents(draw.ticketPrice), count, draw.passStripeFees);
  const order = { draw, count, price };
  const {
    problems,
    list,
    busyWords: busyText,
    pressed,
    onSubmit,
    onWallet,
    onUnconfirmed,
  } = usePayment({
    page: 'draw',
    checkout,
    dispatch,
    details,
    card: () => buildDrawCardPurchase(order, buyerOfDetails(details)),
    wallet: (payer) => buildDrawWalletPurchase(order, payer),
  });
  useRefreshStalePrice(checkout, [draw.drawNumber]);
  const busy = isCheckoutBusy(checkout);
  // Whether the input is locked. A page from the offline cache is reloaded when the server
  // responds, which would lose typed input.
  const inputLocked = busy || isCachedCopy();
  const paused = useIsPaymentPaused(checkout);
  useCompletePurchase(scope, checkout, {
    summary: () =>
      buildPurchaseSummary([{ draw, count: purchasedTicketCount(checkout, count) }], details.name),
    toast: pressed === 'wallet' ? WALLET_SUCCESS_TOAST : CARD_SUCCESS_TOAST,
  });
  usePageTitle(`${draw.homeTeam} v ${draw.awayTeam}`, problems.length > 0);
  const error = checkout.state === 'choosing' ? checkout.error : null;
  useEffect(() => {
    if (error?.available !== undefined)
      document.getElementById(PURCHASE_FIELD_IDS.quantity)?.focus();
  }, [error]);
  if (hasOutcome(checkout))
    return <OutcomePanel checkout={checkout} onRetry={() => dispatch({ type: 'again' })} />;
  const confirmed = details.overEighteen && details.acceptsTerms;
  return (
    <form noValidate onSubmit={onSubmit} aria-labelledby="purchase-title">
      <ProblemList ref={list} problems={problems} />
      <TicketQuantity
        count={count}
        available={available}
        onCount={onCount}
        disabled={inputLocked}
        note={note}
      />
      <p className="match-line">
        <span>
          {draw.homeTeam} v {draw.awayTeam}
        </span>
        <span>{dayText(draw.gameDate, draw.timezone)}</span>
      </p>
      <PriceLines ticket={draw.ticketPrice} count={count} price={price} />
      <fieldset disabled={inputLocked}>
        <ConsentBoxes
          details={details}
          onDetails={setDetails}
          problems={problems}
          ageText={S.overEighteenDraw}
        />
        {paused ? null : (
          <WalletButtonSlot
            confirmed={confirmed}
            realFromStart
            busy={busy}
            onUnconfirmed={onUnconfirmed}
            onConfirm={onWallet}
          />
        )}
        {pressed === 'card' ? null : <ErrorCallout checkout={checkout} />}
        <BuyerFields details={details} onDetails={setDetails} problems={problems} />
        <CardField />
      </fieldset>
      {pressed === 'card' ? <ErrorCallout checkout={checkout} /> : null}
      {paused ? (
        <MaintenanceNote />
      ) : (
        <PayButton
          checkout={checkout}
          total={formatDollars(price.total)}
          ready={confirmed}
          busyText={busyText}
        />
      )}
      <p className="deal-note">Your numbers are dealt at random after payment.</p>
    </form>
  );
}
