import { ExpressCheckoutElement } from '@stripe/react-stripe-js';
import type {
  ClickResolveDetails,
  StripeExpressCheckoutElementConfirmEvent,
  StripeExpressCheckoutElementOptions,
} from '@stripe/stripe-js';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useIsOffline } from '@/features/shared-live/server-contact';
import { OFFLINE_MESSAGE } from '@/shared/offline';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { useStripeLoading } from './payment-provider';
import { StripeExceptionBoundary } from './stripe-exceptions';

/** Returns the options of the wallet button, which offers all wallets or only one. */
const walletButtonOptions = (only: WalletKind | null) =>
  ({
    buttonHeight: 48,
    buttonTheme: { applePay: 'black', googlePay: 'black' },
    buttonType: { applePay: 'plain', googlePay: 'pay' },
    layout: { maxColumns: 1, maxRows: 1, overflow: 'never' },
    paymentMethods: {
      applePay: only === 'google' ? 'never' : 'auto',
      googlePay: only === 'apple' ? 'never' : 'auto',
      link: 'never',
      amazonPay: 'never',
      paypal: 'never',
      klarna: 'never',
    },
  }) satisfies StripeExpressCheckoutElementOptions;

export type WalletKind = 'apple' | 'google';

interface WalletButtonSlotProps {
  /** Whether both consent boxes are ticked. */
  confirmed: boolean;
  /** Whether the wallet's own button shows before both boxes are ticked (decision M-15). */
  realFromStart?: boolean;
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
 * The place of the wallet button, 48 px high from the first paint. On the draw page the
 * provider's button shows at once, and asks for the consents when pressed without them (decision
 * M-15). On the other pages it is hidden until both boxes are ticked (specification line A:203).
 * Without a wallet, the place lists the accepted cards, unless the page has no card form.
 */
export function WalletButtonSlot({
  confirmed,
  realFromStart = false,
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
  const options = useMemo(() => walletButtonOptions(only), [only]);
  const onFailed = () => {
    setWallets('none');
    onLoadError?.();
  };
  // Without the library's elements, the wallet never reports whether it is available.
  const { refused } = useStripeLoading();
  const onRefused = useRef(onLoadError);
  useEffect(() => {
    if (refused) onRefused.current?.();
  }, [refused]);
  const offline = useIsOffline() && !busy;
  const offered = (confirmed || realFromStart) && wallets === 'some' && !offline;
  if (wallets === 'none' || refused)
    return alone ? null : <p className="wallet-none">Pay with Visa, Mastercard or Amex</p>;
  return (
    <>
      <div className="wallet-slot">
        {/* Not inert while busy, because the wallet's own dialog may be inside this element. */}
        <div className="wallet-real" inert={!offered} style={{ opacity: offered && !busy ? 1 : 0 }}>
          <StripeExceptionBoundary step="element" fallback={null} onException={onFailed}>
            <ExpressCheckoutElement
              // A mounted element does not accept other `paymentMethods`.
              key={only}
              options={options}
              onReady={({ availablePaymentMethods }) => {
                setWallets(availablePaymentMethods ? 'some' : 'none');
                if (!availablePaymentMethods) onNone?.();
              }}
              onLoadError={onFailed}
              // Answers the wallet's click event without a server request, because the wallet allows
              // only one second.
              onClick={(event) => {
                if (!confirmed) {
                  event.reject();
                  onUnconfirmed();
                  return;
                }
                event.resolve({
                  emailRequired: true,
                  phoneNumberRequired: true,
                } satisfies ClickResolveDetails);
              }}
              onConfirm={onConfirm}
              onCancel={onCancel}
            />
          </StripeExceptionBoundary>
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
                : confirmed || realFromStart
                  ? S.settingUpPayment
                  : S.completeConfirmation}
          </button>
        )}
      </div>
      {alone ? null : <div className="divider">{S.orPayWithCard}</div>}
    </>
  );
}
