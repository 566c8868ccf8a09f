import type { StripeExpressCheckoutElementConfirmEvent } from '@stripe/stripe-js';
import { CardField } from './buyer-fields';
import { applePayMissing, walletNotStarted } from './catalogue';
import { isBusy, type Checkout, type Happening, type Way } from './checkout';
import { MaintenanceNote } from './maintenance-note';
import { PayButton } from './pay-button';
import type { Details } from './purchase-rules';
import { TroubleCallout } from './trouble-callout';
import { usePaused } from './use-payment';
import { WalletSlot, type WalletKind } from './wallet-slot';

interface PaymentPartProps {
  checkout: Checkout;
  say: (happening: Happening) => void;
  details: Details;
  total: string;
  /** Whether everything the card payment needs is filled in and ticked. */
  ready: boolean;
  /** Whether the card stands there already. */
  withCard: boolean;
  onlyWallet?: WalletKind | null;
  /** The wallet that was asked for is not to be had: the card takes over. */
  onNoWallet?: () => void;
  /** What went wrong is said where it was pressed. */
  pressed: Way | null;
  busyWords: string | null;
  onUnconfirmed: () => void;
  onWallet: (event: StripeExpressCheckoutElementConfirmEvent) => void;
}

/** Wallet, card and button, for the pages where the details are a step of their own. Lives inside their form. */
export function PaymentPart({
  checkout,
  say,
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
              if (onlyWallet === 'apple') say({ is: 'refused', trouble: applePayMissing });
              onNoWallet?.();
            }}
            onLoadError={() => {
              if (onlyWallet) say({ is: 'refused', trouble: walletNotStarted });
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
