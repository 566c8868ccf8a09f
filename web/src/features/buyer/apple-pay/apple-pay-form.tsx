import type { StripeExpressCheckoutElementConfirmEvent } from '@stripe/stripe-js';
import { useAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { createPaymentIntent } from '@/api/endpoints/buyer';
import type { Draw } from '@/api/wire';
import { applePayMissing, declined, exception, titled } from '@/features/buyer/checkout/catalogue';
import {
  isBusy,
  mayPay,
  type CheckoutEvent,
  type CheckoutProblem,
} from '@/features/buyer/checkout/checkout';
import { detailsAtom } from '@/features/buyer/checkout/checkout-atoms';
import { ConsentBoxes } from '@/features/buyer/checkout/consent-boxes';
import { OutcomePanel, hasOutcome } from '@/features/buyer/checkout/outcome-panel';
import { pay } from '@/features/buyer/checkout/pay';
import { usePaymentSurface } from '@/features/buyer/checkout/payment-provider';
import { named, walletPurchase } from '@/features/buyer/checkout/single-purchase';
import { summaryOf } from '@/features/buyer/checkout/summary';
import { TroubleCallout } from '@/features/buyer/checkout/trouble-callout';
import { WALLET_SUCCESS, useCheckout, useFinish } from '@/features/buyer/checkout/use-checkout';
import { WalletSlot } from '@/features/buyer/checkout/wallet-slot';
import { cents, dollars, priceOf } from '@/shared/money';
import { S } from '@/shared/strings';
import type { AppleRequest } from './request';

interface ApplePayFormProps {
  draw: Draw;
  request: AppleRequest;
  log: (line: string) => void;
  /** Called when the payment in the link belongs to another browser and cannot be paid here. */
  onForeign: () => void;
  /** Called when Apple Pay is not available here. */
  onUnavailable: () => void;
}

const CANCELLED: CheckoutProblem = {
  title: S.paymentCancelled,
  text: 'Nothing was charged. You can try again or go back to the checkout.',
  untried: true,
};
const BROKEN: CheckoutProblem = { title: S.applePayError, text: S.walletErrorText, untried: true };

/**
 * Replaces the titles of errors by those of this page. The texts stay the same (specification line
 * A:276).
 */
function renamed(happening: CheckoutEvent): CheckoutEvent {
  if (happening.is === 'declined')
    return { ...happening, trouble: { ...happening.trouble, title: S.paymentFailedTitle } };
  if (happening.is === 'refused' && happening.trouble.title === titled(S.purchaseFailed).title)
    return { ...happening, trouble: { ...happening.trouble, title: S.paymentError } };
  return happening;
}

/**
 * Whether the payment in the link belongs to this browser. The server returns the browser's own
 * payment for the draw (decision C-21).
 */
function useOwnPayment(
  { clientSecret, drawId, ticketCount }: AppleRequest,
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
          is: 'refused',
          trouble: { ...exception('draw', error), title: S.applePayError },
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
  const [details, setDetails] = useAtom(detailsAtom);
  const surface = usePaymentSurface();
  const count = request.ticketCount;
  const price = priceOf(cents(draw.ticketPrice), count, draw.passStripeFees);
  const own = useOwnPayment(request, price.total, log, onForeign, dispatch);
  useFinish(scope, checkout, {
    summary: () => summaryOf([{ draw, count }], ''),
    toast: WALLET_SUCCESS,
  });
  if (hasOutcome(checkout))
    return <OutcomePanel checkout={checkout} onAgain={() => dispatch({ is: 'again' })} />;
  const confirmed = details.overEighteen && details.acceptsTerms;
  const onConfirm = (event: StripeExpressCheckoutElementConfirmEvent) => {
    if (!surface || !mayPay(checkout)) return event.paymentFailed({ reason: 'fail' });
    log('the sheet was confirmed');
    void pay(
      walletPurchase({ draw, count, price }, named(event.billingDetails, details)),
      surface,
      (happening) => {
        log(happening.is);
        if (
          happening.is === 'refused' ||
          happening.is === 'declined' ||
          happening.is === 'notCharged'
        )
          event.paymentFailed({ reason: 'fail' });
        dispatch(renamed(happening));
      },
    ).catch((error: unknown) =>
      dispatch({
        is: 'refused',
        trouble: declined('checkout', 'card', error instanceof Error ? error.message : null),
      }),
    );
  };
  return (
    <>
      <p role="status">
        {own
          ? `Ready: ${count} ${count === 1 ? 'ticket' : 'tickets'} for ${dollars(price.total)}.`
          : 'Checking your payment …'}
      </p>
      <ConsentBoxes
        details={details}
        onDetails={setDetails}
        problems={[]}
        ageWords={S.overEighteenCheckout}
      />
      {own ? (
        <WalletSlot
          confirmed={confirmed}
          busy={isBusy(checkout)}
          only="apple"
          alone
          onUnconfirmed={() =>
            dispatch({
              is: 'refused',
              trouble: {
                title: S.confirmationRequired,
                text: S.confirmationRequiredText,
                untried: true,
              },
            })
          }
          onConfirm={onConfirm}
          onCancel={() => dispatch({ is: 'refused', trouble: CANCELLED })}
          onNone={() => {
            log('Apple Pay is not available');
            dispatch({ is: 'refused', trouble: applePayMissing });
            onUnavailable();
          }}
          onLoadError={() => dispatch({ is: 'refused', trouble: BROKEN })}
        />
      ) : null}
      <TroubleCallout checkout={checkout} />
    </>
  );
}
