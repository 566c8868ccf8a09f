import { ExpressCheckoutElement } from '@stripe/react-stripe-js';
import type { StripeExpressCheckoutElementConfirmEvent, StripeExpressCheckoutElementOptions } from '@stripe/stripe-js';
import { useState } from 'react';
import { S } from '@/shared/strings';

const OPTIONS: StripeExpressCheckoutElementOptions = {
  buttonHeight: 48,
  buttonTheme: { applePay: 'black', googlePay: 'black' },
  buttonType: { applePay: 'plain', googlePay: 'pay' },
  layout: { maxColumns: 1, maxRows: 1, overflow: 'never' },
  paymentMethods: { link: 'never', amazonPay: 'never', paypal: 'never', klarna: 'never' },
};

interface WalletSlotProps {
  /** Whether both boxes are ticked. */
  confirmed: boolean;
  busy: boolean;
  onUnconfirmed: () => void;
  onConfirm: (event: StripeExpressCheckoutElementConfirmEvent) => void;
}

type Wallets = 'unknown' | 'some' | 'none';

/**
 * The wallet's place, 48 px high from the first paint. The provider's own button waits hidden in it until both boxes are
 * ticked (D3); where there is no wallet the box says which cards are taken, and nothing below it moves.
 */
export function WalletSlot({ confirmed, busy, onUnconfirmed, onConfirm }: WalletSlotProps) {
  const [wallets, setWallets] = useState<Wallets>('unknown');
  const shown = confirmed && wallets === 'some';
  if (wallets === 'none') return <p className="wallet-none">Pay with Visa, Mastercard or Amex</p>;
  return (
    <>
      <div className="wallet-slot">
        {/* Not inert while busy: the wallet's own sheet may live in here. */}
        <div className="wallet-real" inert={!shown} style={{ opacity: shown ? 1 : 0 }}>
          <ExpressCheckoutElement
            options={OPTIONS}
            onReady={({ availablePaymentMethods }) => setWallets(availablePaymentMethods ? 'some' : 'none')}
            onLoadError={() => setWallets('none')}
            // Answered at once, without asking anybody: the wallet allows one second.
            onClick={(event) => event.resolve({ emailRequired: true, phoneNumberRequired: true })}
            onConfirm={onConfirm}
          />
        </div>
        {shown ? null : (
          <button type="button" className="btn wide wallet-wait" aria-disabled="true" onClick={onUnconfirmed}>
            {busy ? S.processing : confirmed ? S.settingUpPayment : S.completeConfirmation}
          </button>
        )}
      </div>
      <div className="divider">{S.orPayWithCard}</div>
    </>
  );
}
