import { useSetAtom } from 'jotai';
import { useEffect, useState } from 'react';
import { resendConfirmation } from '@/api/endpoints/buyer';
import { HttpError } from '@/api/http';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { showToastAtom } from '@/shared/ui/toast-atoms';
import type { LastPayment } from './last-payment';

const RESEND_WAIT_MS = 20_000;

/**
 * Returns the whole seconds until the mail may be sent again. Uses the device's monotonic clock,
 * because the estimate of the server's clock is corrected at times.
 */
function useResendWait(): { seconds: number; begin: () => void } {
  const [until, setUntil] = useState(() => performance.now() + RESEND_WAIT_MS);
  const [now, setNow] = useState(() => performance.now());
  const isOver = now >= until;
  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(() => setNow(performance.now()), 250);
    return () => clearInterval(timer);
  }, [isOver]);
  const begin = () => {
    setNow(performance.now());
    setUntil(performance.now() + RESEND_WAIT_MS);
  };
  return { seconds: Math.ceil(Math.max(0, until - now) / 1000), begin };
}

/**
 * Button that sends the confirmation mail again, only to the e-mail address on the order and at
 * most once in twenty seconds (specification line A:134).
 */
export function ResendMailButton({ payment }: { payment: LastPayment | null }) {
  const showToast = useSetAtom(showToastAtom);
  const { seconds, begin } = useResendWait();
  const [error, setError] = useState<string | null>(null);
  const waiting = seconds > 0;
  const complain = (title: string, text: string) => {
    setError(`${title}${text ? `. ${text}` : ''}`);
    showToast({ title, text, bad: true });
  };
  const onResend = async () => {
    if (waiting) return;
    if (!payment) return complain(S.resendNotYet, '');
    begin();
    setError(null);
    try {
      const { message } = await resendConfirmation(payment.paymentIntentId, payment.orderToken);
      showToast({
        title: message ?? 'If the order has an address, the e-mail is on its way again.',
      });
    } catch (failure) {
      complain(
        S.resendFailed,
        (failure instanceof HttpError ? failure.body.message : undefined) ?? S.tryLater,
      );
    }
  };
  return (
    <>
      <button
        type="button"
        className="btn sec"
        aria-disabled={waiting}
        onClick={() => void onResend()}
      >
        {S.resendEmail}
        {waiting ? ` (${seconds} s)` : ''}
      </button>
      {error ? (
        <p className="field-error" role="alert">
          {error}
        </p>
      ) : null}
    </>
  );
}
