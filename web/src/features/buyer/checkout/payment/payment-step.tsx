import type { StripeExpressCheckoutElementConfirmEvent } from '@stripe/stripe-js';
import { CardField } from '../form/buyer-fields';
import { applePayUnavailableError, walletStartError } from '../errors/error-catalogue';
import { isCheckoutBusy } from '../state/checkout';
import type { Checkout, CheckoutDispatch, PaymentMethodKind } from '../state/checkout';
import { MaintenanceNote } from '../errors/maintenance-note';
import { PayButton } from './pay-button';
import type { PurchaseDetails } from '../form/purchase-rules';
import { ErrorCallout } from '../errors/error-callout';
import { useIsPaymentPaused } from './use-payment';
import { WalletButtonSlot, type WalletKind } from './wallet-button-slot';

interface PaymentStepProps {
  checkout: Checkout;
  dispatch: CheckoutDispatch;
  details: PurchaseDetails;
  total: string;
  /** Whether all details and boxes that a card payment needs are complete. */
  ready: boolean;
  /** Whether to show the card form and the pay button. */
  withCard: boolean;
  onlyWallet?: WalletKind | null;
  /** Called when no wallet is available. */
  onNoWallet?: () => void;
  /** The control that was pressed last. Errors are shown beside it. */
  pressed: PaymentMethodKind | null;
  busyText: string | null;
  onUnconfirmed: () => void;
  onWallet: (event: StripeExpressCheckoutElementConfirmEvent) => void;
}

/**
 * Wallet, card and pay button of the two-step checkout and the cart. Rendered inside the page's
 * form.
 */
export function PaymentStep({
  checkout,
  dispatch,
  details,
  total,
  ready,
  withCard,
  onlyWallet = null,
  onNoWallet,
  pressed,
  busyText,
  onUnconfirmed,
  onWallet,
}: PaymentStepProps) {
  const confirmed = details.overEighteen && details.acceptsTerms;
  const busy = isCheckoutBusy(checkout);
  const paused = useIsPaymentPaused(checkout);
  const atButton = withCard && pressed === 'card';
  return (
    <>
      {atButton ? null : <ErrorCallout checkout={checkout} />}
      <fieldset className="bare" disabled={busy}>
        {paused ? null : (
          <WalletButtonSlot
            confirmed={confirmed}
            busy={busy}
            only={onlyWallet}
            onUnconfirmed={onUnconfirmed}
            onConfirm={onWallet}
            onNone={() => {
              if (onlyWallet === 'apple')
                dispatch({ type: 'refused', error: applePayUnavailableError });
              onNoWallet?.();
            }}
            onLoadError={() => {
              if (onlyWallet) dispatch({ type: 'refused', error: walletStartError });
              onNoWallet?.();
            }}
          />
        )}
        {withCard ? <CardField /> : null}
      </fieldset>
      {atButton ? <ErrorCallout checkout={checkout} /> : null}
      {paused ? (
        <MaintenanceNote />
      ) : withCard ? (
        <PayButton checkout={checkout} total={total} ready={ready} busyText={busyText} />
      ) : null}
    </>
  );
}
