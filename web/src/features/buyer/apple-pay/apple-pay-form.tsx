import type { StripeExpressCheckoutElementConfirmEvent } from '@stripe/stripe-js';
import { useAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { createPaymentIntent } from '@/api/endpoints/buyer';
import type { Draw } from '@/api/wire';
import {
  applePayUnavailableError,
  declinedError,
  unexpectedError,
} from '@/features/buyer/checkout/errors/error-catalogue';
import { isCheckoutBusy, canPay } from '@/features/buyer/checkout/state/checkout';
import type { CheckoutEvent, CheckoutError } from '@/features/buyer/checkout/state/checkout';
import { purchaseDetailsAtom } from '@/features/buyer/checkout/state/checkout-atoms';
import { ConsentBoxes } from '@/features/buyer/checkout/form/consent-boxes';
import { OutcomePanel, hasOutcome } from '@/features/buyer/checkout/outcome/outcome-panel';
import { carryOutPurchase } from '@/features/buyer/checkout/payment/pay';
import { usePaymentGateway } from '@/features/buyer/checkout/payment/payment-provider';
import {
  payerWithTypedName,
  buildDrawWalletPurchase,
} from '@/features/buyer/checkout/payment/single-purchase';
import { buildPurchaseSummary } from '@/features/buyer/checkout/state/summary';
import { ErrorCallout } from '@/features/buyer/checkout/errors/error-callout';
import {
  WALLET_SUCCESS_TOAST,
  useCheckout,
  useCompletePurchase,
} from '@/features/buyer/checkout/state/use-checkout';
import { WalletButtonSlot } from '@/features/buyer/checkout/payment/wallet-button-slot';
import { decimalToCents, formatDollars, priceOf } from '@/shared/money';
import { splitTitle } from '@/shared/split-title';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import type { ApplePayRequest } from './request';

interface ApplePayFormProps {
  draw: Draw;
  request: ApplePayRequest;
  log: (line: string) => void;
  /** Called when the payment in the link belongs to another browser and so cannot be paid here. */
  onForeign: () => void;
  /** Called when this browser does not offer Apple Pay. */
  onUnavailable: () => void;
}

const PAYMENT_CANCELLED_ERROR: CheckoutError = {
  title: S.paymentCancelled,
  text: 'Nothing was charged. You can try again or go back to the checkout.',
  notAttempted: true,
};
const WALLET_FAILED_ERROR: CheckoutError = {
  title: S.applePayError,
  text: S.walletErrorText,
  notAttempted: true,
};

/**
 * Replaces the title of an error by the title of the Apple Pay page. The error's text stays the
 * same (specification line A:276).
 */
function withApplePayTitle(event: CheckoutEvent): CheckoutEvent {
  if (event.type === 'declined')
    return { ...event, error: { ...event.error, title: S.paymentFailedTitle } };
  if (event.type === 'refused' && event.error.title === splitTitle(S.purchaseFailed).title)
    return { ...event, error: { ...event.error, title: S.paymentError } };
  return event;
}

/**
 * Whether the payment in the link belongs to this browser. The server returns the browser's own
 * payment for the draw (decision C-21).
 */
function useIsPaymentOfThisBrowser(
  { clientSecret, drawId, ticketCount }: ApplePayRequest,
  total: number,
  log: (line: string) => void,
  onForeign: () => void,
  dispatch: (event: CheckoutEvent) => void,
) {
  const [own, setOwn] = useState(false);
  useEffect(() => {
    let current = true;
    createPaymentIntent({
      drawId,
      ticketCount,
      clientKey: `apple-${drawId}`,
      expectedAmount: total,
    }).then(
      (answer) => {
        if (!current) return;
        log(
          answer.clientSecret === clientSecret
            ? 'the payment belongs to this browser'
            : 'the payment belongs to somebody else',
        );
        if (answer.clientSecret === clientSecret) setOwn(true);
        else onForeign();
      },
      (error: unknown) =>
        current &&
        dispatch({
          type: 'refused',
          error: { ...unexpectedError('draw', error), title: S.applePayError },
        }),
    );
    return () => {
      current = false;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- asked once, when the page opens
  }, []);
  return own;
}

export function ApplePayForm({ draw, request, log, onForeign, onUnavailable }: ApplePayFormProps) {
  const scope = `draw:${draw.drawNumber}`;
  const { checkout, dispatch } = useCheckout(scope);
  const [details, setDetails] = useAtom(purchaseDetailsAtom);
  const gateway = usePaymentGateway();
  const count = request.ticketCount;
  const price = priceOf(decimalToCents(draw.ticketPrice), count, draw.passStripeFees);
  const own = useIsPaymentOfThisBrowser(request, price.total, log, onForeign, dispatch);
  useCompletePurchase(scope, checkout, {
    summary: () => buildPurchaseSummary([{ draw, count }], ''),
    toast: WALLET_SUCCESS_TOAST,
  });
  if (hasOutcome(checkout))
    return <OutcomePanel checkout={checkout} onRetry={() => dispatch({ type: 'again' })} />;
  const confirmed = details.overEighteen && details.acceptsTerms;
  const onConfirm = (event: StripeExpressCheckoutElementConfirmEvent) => {
    if (!gateway || !canPay(checkout)) return event.paymentFailed({ reason: 'fail' });
    log('the sheet was confirmed');
    void carryOutPurchase(
      buildDrawWalletPurchase(
        { draw, count, price },
        payerWithTypedName(event.billingDetails, details),
      ),
      gateway,
      (checkoutEvent) => {
        log(checkoutEvent.type);
        if (
          checkoutEvent.type === 'refused' ||
          checkoutEvent.type === 'declined' ||
          checkoutEvent.type === 'notCharged'
        )
          event.paymentFailed({ reason: 'fail' });
        dispatch(withApplePayTitle(checkoutEvent));
      },
    ).catch((error: unknown) =>
      dispatch({
        type: 'refused',
        error: declinedError('checkout', 'card', error instanceof Error ? error.message : null),
      }),
    );
  };
  return (
    <>
      <p role="status">
        {own
          ? `Ready: ${count} ${count === 1 ? 'ticket' : 'tickets'} for ${formatDollars(price.total)}.`
          : 'Checking your payment …'}
      </p>
      <ConsentBoxes
        details={details}
        onDetails={setDetails}
        problems={[]}
        ageText={S.overEighteenCheckout}
      />
      {own ? (
        <WalletButtonSlot
          confirmed={confirmed}
          busy={isCheckoutBusy(checkout)}
          only="apple"
          alone
          onUnconfirmed={() =>
            dispatch({
              type: 'refused',
              error: {
                title: S.confirmationRequired,
                text: S.confirmationRequiredText,
                notAttempted: true,
              },
            })
          }
          onConfirm={onConfirm}
          onCancel={() => dispatch({ type: 'refused', error: PAYMENT_CANCELLED_ERROR })}
          onNone={() => {
            log('Apple Pay is not available');
            dispatch({ type: 'refused', error: applePayUnavailableError });
            onUnavailable();
          }}
          onLoadError={() => dispatch({ type: 'refused', error: WALLET_FAILED_ERROR })}
        />
      ) : null}
      <ErrorCallout checkout={checkout} />
    </>
  );
}
