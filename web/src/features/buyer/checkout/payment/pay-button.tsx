import { useEffect, useState } from 'react';
import { useIsOffline } from '@/features/shared-live/server-contact';
import { purchaseButtonText, PUBLIC_TEXTS as S } from '@/shared/strings';
import type { Checkout } from '../state/checkout';
import { OfflineNote } from '../errors/offline-note';

const SLOW_PAYMENT_TEXT_DELAY_MS = 5_000;

interface PayButtonProps {
  checkout: Checkout;
  total: string;
  /**
   * Whether the boxes are ticked, and on pages with a separate payment step also the details typed.
   * Pressing the button before shows the list of problems (interface decision D4).
   */
  ready: boolean;
  busyText: string | null;
}

export function PayButton({ checkout, total, ready, busyText }: PayButtonProps) {
  const working =
    checkout.state === 'reserving' ||
    checkout.state === 'paying' ||
    checkout.state === 'issuing' ||
    checkout.state === 'issued';
  const slow = useIsPaymentTakingLong(working);
  const offline = useIsOffline() && !working;
  return (
    <>
      {offline ? <OfflineNote /> : null}
      <button
        type="submit"
        className={`btn wide pay${ready && !offline ? '' : ' is-waiting'}`}
        aria-disabled={!ready || offline || undefined}
        disabled={working}
      >
        {working ? <span className="spinner" aria-hidden="true" /> : null}
        {checkout.state === 'reserving'
          ? S.settingUpPayment
          : working
            ? S.processingPayment
            : purchaseButtonText(total)}
      </button>
      <p className="pay-note" role="status">
        {working ? (busyText ?? (slow ? 'Still working – do not close this page' : '')) : ''}
      </p>
    </>
  );
}

function useIsPaymentTakingLong(working: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!working) return;
    const timer = setTimeout(() => setSlow(true), SLOW_PAYMENT_TEXT_DELAY_MS);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [working]);
  return slow;
}
