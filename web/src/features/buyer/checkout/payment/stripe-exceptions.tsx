/**
 * Exceptions that the payment provider's library throws, for example for an option that it no
 * longer accepts. They are reported to the server and shown in place.
 */
import { Component, type ReactNode } from 'react';
import { sendDebugLog } from '@/api/endpoints/buyer';
import { PUBLIC_TEXTS as S } from '@/shared/strings';

/** The call of the library that threw. The server counts exceptions by step. */
export type StripeJsStep =
  'elements' | 'element' | 'submit' | 'confirm' | 'confirmation_token' | 'next_action';

/** Reports an exception of the library to the server, which counts it. */
export function reportStripeException(stripeJsStep: StripeJsStep, error: unknown): void {
  const { name, message } = error instanceof Error ? error : { name: '', message: String(error) };
  sendDebugLog(
    'error',
    'stripe.js threw an exception',
    { kind: name, message: message.slice(0, 200) },
    stripeJsStep,
  );
}

interface StripeExceptionBoundaryProps {
  children: ReactNode;
  step: StripeJsStep;
  fallback: ReactNode;
  onException?: () => void;
}

/** Shows the fallback instead of children whose call of the library threw, and reports it. */
export class StripeExceptionBoundary extends Component<
  StripeExceptionBoundaryProps,
  { failed: boolean }
> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: Error) {
    reportStripeException(this.props.step, error);
    this.props.onException?.();
  }

  override render() {
    return this.state.failed ? this.props.fallback : this.props.children;
  }
}

/** Replaces the card fields when the library cannot show them. */
export function CardFormFailed() {
  return (
    <div className="callout is-bad" role="alert">
      <strong>The card form could not be shown</strong>
      You cannot pay by card right now. You have not been charged. Reload the page, or try again
      later.{' '}
      <button type="button" className="btn small sec" onClick={() => window.location.reload()}>
        {S.reloadPage}
      </button>
    </div>
  );
}
