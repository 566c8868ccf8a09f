import type { StripeExpressCheckoutElementConfirmEvent } from '@stripe/stripe-js';
import { CardField } from '../form/buyer-fields';
import { applePayMissing, walletNotStarted } from '../errors/error-catalogue';
import {
  isBusy,
  type Checkout,
  type CheckoutEvent,
  type PaymentMethodKind,
} from '../state/checkout';
import { MaintenanceNote } from '../errors/maintenance-note';
import { PayButton } from './pay-button';
import type { Details } from '../form/purchase-rules';
import { TroubleCallout } from '../errors/error-callout';
import { usePaused } from './use-payment';
import { WalletSlot, type WalletKind } from './wallet-slot';

interface PaymentPartProps {
  checkout: Checkout;
  dispatch: (event: CheckoutEvent) => void;
  details: Details;
  total: string;
  /** Whether all details and boxes that a card payment needs are complete. */
  ready: boolean;
  /** Whether the card form is already shown. */
  withCard: boolean;
  onlyWallet?: WalletKind | null;
  /** Called when the requested wallet is not available and the card form replaces it. */
  onNoWallet?: () => void;
  /** Errors are shown beside the control that was pressed. */
  pressed: PaymentMethodKind | null;
  busyWords: string | null;
  onUnconfirmed: () => void;
  onWallet: (event: StripeExpressCheckoutElementConfirmEvent) => void;
}

/**
 * Wallet, card and pay button, for pages where the details are a separate step. Rendered inside the
 * page's form.
 */
export function PaymentPart({
  checkout,
  dispatch,
  details,
  total,
  ready,
  withCard,
  onlyWallet = null,
  onNoWallet,
  pressed,
  busyWords,
  onUnconfirmed,
  onWallet,
}: PaymentPartProps) {
  const confirmed = details.overEighteen && details.acceptsTerms;
  const busy = isBusy(checkout);
  const paused = usePaused(checkout);
  const atButton = withCard && pressed === 'card';
  return (
    <>
      {atButton ? null : <TroubleCallout checkout={checkout} />}
      <fieldset className="bare" disabled={busy}>
        {paused ? null : (
          <WalletSlot
            confirmed={confirmed}
            busy={busy}
            only={onlyWallet}
            onUnconfirmed={onUnconfirmed}
            onConfirm={onWallet}
            onNone={() => {
              if (onlyWallet === 'apple') dispatch({ is: 'refused', trouble: applePayMissing });
              onNoWallet?.();
            }}
            onLoadError={() => {
              if (onlyWallet) dispatch({ is: 'refused', trouble: walletNotStarted });
              onNoWallet?.();
            }}
          />
        )}
        {withCard ? <CardField /> : null}
      </fieldset>
      {atButton ? <TroubleCallout checkout={checkout} /> : null}
      {paused ? (
        <MaintenanceNote />
      ) : withCard ? (
        <PayButton checkout={checkout} total={total} ready={ready} busyWords={busyWords} />
      ) : null}
    </>
  );
}
