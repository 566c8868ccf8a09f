import { useAtomValue, useSetAtom } from 'jotai';
import { useState } from 'react';
import { resendConfirmation } from '@/api/endpoints/buyer';
import { Problem } from '@/api/http';
import { nowAtom } from '@/features/shared-live/live-atoms';
import { S } from '@/shared/strings';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import type { LastPayment } from './last-payment';

const WAIT_MS = 20_000;

/** Sends the mail again, to the address on the order only; not in the first twenty seconds (A:133). */
export function Resend({ payment }: { payment: LastPayment | null }) {
  const now = useAtomValue(nowAtom);
  const showToast = useSetAtom(showToastAtom);
  const [readyAt, setReadyAt] = useState(() => now + WAIT_MS);
  const [error, setError] = useState<string | null>(null);
  const seconds = Math.ceil((readyAt - now) / 1000);
  const waiting = seconds > 0;
  const complain = (title: string, text: string) => {
    setError(`${title}${text ? `. ${text}` : ''}`);
    showToast({ title, text, bad: true });
  };
  const onResend = async () => {
    if (waiting) return;
    if (!payment) return complain(S.resendNotYet, '');
    setReadyAt(now + WAIT_MS);
    setError(null);
    try {
      const { message } = await resendConfirmation(payment.paymentIntentId);
      showToast({ title: message ?? 'If the order has an address, the e-mail is on its way again.' });
    } catch (failure) {
      complain(S.resendFailed, (failure instanceof Problem ? failure.said.message : undefined) ?? S.tryLater);
    }
  };
  return (
    <>
      <button type="button" className="btn sec" aria-disabled={waiting} onClick={() => void onResend()}>
        {S.resendEmail}{waiting ? ` (${seconds} s)` : ''}
      </button>
      {error ? <p className="field-error" role="alert">{error}</p> : null}
    </>
  );
}
