import '@/features/buyer/checkout/checkout.css';
import '@/features/buyer/checkout/two-step.css';
import { useCallback, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { ApplePayForm } from '@/features/buyer/apple-pay/apple-pay-form';
import { readApplePayRequest } from '@/features/buyer/apple-pay/request';
import { PaymentProvider } from '@/features/buyer/checkout/payment/payment-provider';
import { useLiveDraw } from '@/features/shared-live/use-live';
import { decimalToCents, priceOf } from '@/shared/money';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import { LoadFailed } from '@/shared/ui/load-failed';
import { usePageTitle } from '@/shared/ui/page-title';

const RETURN_DELAY_SECONDS = 3;

/** Reads the Apple Pay link once and removes its secret from the address bar (decision C-21). */
function useApplePayRequest() {
  const [request] = useState(() =>
    readApplePayRequest(window.location.search, window.location.hash),
  );
  useEffect(() => {
    const returnQuery = request.back.includes('?')
      ? request.back.slice(request.back.indexOf('?'))
      : '';
    window.history.replaceState(
      window.history.state,
      '',
      `${window.location.pathname}${returnQuery}`,
    );
  }, [request]);
  return request;
}

/**
 * Returns a buyer without Apple Pay to the checkout after three seconds. Screen readers announce
 * the text, and a button cancels the return.
 */
function ReturnCountdown({ to }: { to: string }) {
  const [, navigate] = useLocation();
  const [left, setLeft] = useState<number | null>(RETURN_DELAY_SECONDS);
  useEffect(() => {
    if (left === null) return;
    if (left === 0) return navigate(to);
    const timer = setTimeout(() => setLeft(left - 1), 1_000);
    return () => clearTimeout(timer);
  }, [left, navigate, to]);
  if (left === null) return null;
  return (
    <p role="status">
      You go back to the checkout in {left} {left === 1 ? 'second' : 'seconds'}.{' '}
      <button type="button" className="link-btn" onClick={() => setLeft(null)}>
        Stay here
      </button>
    </p>
  );
}

/**
 * Lets the buyer finish a payment with Apple Pay that was started on another page (specification
 * lines A:127-130).
 */
export function Page() {
  const { request, back } = useApplePayRequest();
  const [foreign, setForeign] = useState(false);
  const [unavailable, setUnavailable] = useState(false);
  const [lines, setLines] = useState<readonly string[]>(() => [
    request
      ? `draw ${request.drawId}, ${request.ticketCount} tickets${request.amount ? `, ${request.amount} cents` : ''}`
      : 'the link is not complete',
  ]);
  const log = useCallback((line: string) => setLines((last) => [...last, line]), []);
  const { draw, missing, failed, retry } = useLiveDraw(request?.drawId ?? 0);
  const valid = request !== null && !foreign && !missing;
  usePageTitle(valid ? 'Apple Pay' : S.invalidApplePay);
  return (
    <main className="checkout" id="main">
      <section className="card">
        <h1>{valid ? 'Apple Pay' : S.invalidApplePay}</h1>
        {valid ? null : (
          <p>This link does not belong to a payment of this browser. Nothing was charged.</p>
        )}
        {valid && failed ? <LoadFailed title={S.failedToFetchDraw} onRetry={retry} /> : null}
        {valid && !draw && !failed ? (
          <div className="checkout-wait">
            <span className="spinner" role="status" aria-label="Loading" />
          </div>
        ) : null}
        {valid && draw ? (
          <>
            <h2>
              {draw.homeTeam} v {draw.awayTeam}
            </h2>
            <PaymentProvider
              account={draw.connectedAccountId ?? null}
              amount={
                priceOf(decimalToCents(draw.ticketPrice), request.ticketCount, draw.passStripeFees)
                  .total
              }
            >
              <ApplePayForm
                draw={draw}
                request={request}
                log={log}
                onForeign={() => setForeign(true)}
                onUnavailable={() => setUnavailable(true)}
              />
            </PaymentProvider>
            {unavailable ? <ReturnCountdown to={back} /> : null}
          </>
        ) : null}
        <div className="actions">
          <Link className="btn sec" href={back}>
            {S.backToCheckout}
          </Link>
        </div>
      </section>
      <details className="debug">
        <summary>Debug log</summary>
        <pre tabIndex={0}>{lines.join('\n')}</pre>
      </details>
    </main>
  );
}
