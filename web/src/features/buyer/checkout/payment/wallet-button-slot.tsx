import { ExpressCheckoutElement } from '@stripe/react-stripe-js';
import type {
  StripeExpressCheckoutElementConfirmEvent,
  StripeExpressCheckoutElementOptions,
} from '@stripe/stripe-js';
import { useMemo, useState } from 'react';
import { useIsOffline } from '@/features/shared-live/server-contact';
import { OFFLINE_MESSAGE } from '@/shared/offline';
import { PUBLIC_TEXTS as S } from '@/shared/strings';

const WALLET_BUTTON_OPTIONS: StripeExpressCheckoutElementOptions = {
  buttonHeight: 48,
  buttonTheme: { applePay: 'black', googlePay: 'black' },
  buttonType: { applePay: 'plain', googlePay: 'pay' },
  layout: { maxColumns: 1, maxRows: 1, overflow: 'never' },
  paymentMethods: { link: 'never', amazonPay: 'never', paypal: 'never', klarna: 'never' },
};

export type WalletKind = 'apple' | 'google';

interface WalletButtonSlotProps {
  /** Whether both consent boxes are ticked. */
  confirmed: boolean;
  busy: boolean;
  /** The only wallet to offer, if the link selects one. */
  only?: WalletKind | null;
  onUnconfirmed: () => void;
  onConfirm: (event: StripeExpressCheckoutElementConfirmEvent) => void;
  /** Whether the page has no card form below the wallet button. */
  alone?: boolean;
  onCancel?: () => void;
  onNone?: () => void;
  onLoadError?: () => void;
}

type WalletAvailability = 'unknown' | 'some' | 'none';

/**
 * The place of the wallet button, 48 px high from the first paint. The provider's button stays
 * hidden until both consent boxes are ticked (interface decision D3). Without a wallet, the place
 * lists the accepted cards, unless the page has no card form.
 */
export function WalletButtonSlot({
  confirmed,
  busy,
  only = null,
  onUnconfirmed,
  onConfirm,
  alone = false,
  onCancel,
  onNone,
  onLoadError,
}: WalletButtonSlotProps) {
  const [wallets, setWallets] = useState<WalletAvailability>('unknown');
  const options = useMemo<StripeExpressCheckoutElementOptions>(
    () => ({
      ...WALLET_BUTTON_OPTIONS,
      paymentMethods: {
        ...WALLET_BUTTON_OPTIONS.paymentMethods,
        ...(only === 'apple'
          ? { googlePay: 'never' }
          : only === 'google'
            ? { applePay: 'never' }
            : {}),
      },
    }),
    [only],
  );
  const offline = useIsOffline() && !busy;
  const offered = confirmed && wallets === 'some' && !offline;
  if (wallets === 'none')
    return alone ? null : <p className="wallet-none">Pay with Visa, Mastercard or Amex</p>;
  return (
    <>
      <div className="wallet-slot">
        {/* Not inert while busy, because the wallet's own dialog may be inside this element. */}
        <div className="wallet-real" inert={!offered} style={{ opacity: offered && !busy ? 1 : 0 }}>
          <ExpressCheckoutElement
            options={options}
            onReady={({ availablePaymentMethods }) => {
              setWallets(availablePaymentMethods ? 'some' : 'none');
              if (!availablePaymentMethods) onNone?.();
            }}
            onLoadError={() => {
              setWallets('none');
              onLoadError?.();
            }}
            // Answers the wallet's click event without a server request, because the wallet allows
            // only one second.
            onClick={(event) => event.resolve({ emailRequired: true, phoneNumberRequired: true })}
            onConfirm={onConfirm}
            onCancel={onCancel}
          />
        </div>
        {offered && !busy ? null : (
          <button
            type="button"
            className="btn wide wallet-wait"
            aria-disabled="true"
            onClick={busy || offline || confirmed ? undefined : onUnconfirmed}
          >
            {busy
              ? S.processing
              : offline
                ? OFFLINE_MESSAGE
                : confirmed
                  ? S.settingUpPayment
                  : S.completeConfirmation}
          </button>
        )}
      </div>
      {alone ? null : <div className="divider">{S.orPayWithCard}</div>}
    </>
  );
}
