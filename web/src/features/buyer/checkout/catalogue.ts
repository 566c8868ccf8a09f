/**
 * The error catalogue (specification lines A:258-286): the text for each error on each screen.
 * Pure. No money has moved in any of these cases.
 */
import { Problem } from '@/api/http';
import { S, fill, onlyRemaining } from '@/shared/strings';
import type { CheckoutProblem, PaymentMethodKind } from './checkout';

/**
 * The draw page's form, the two-step checkout or the cart. Each has its own text for the same
 * error.
 */
export type CheckoutPage = 'draw' | 'checkout' | 'cart';

/** Splits a text such as 'Payment Error: Payment system not ready.' into its title and its text. */
export function titled(said: string): CheckoutProblem {
  const at = said.indexOf(': ');
  return { title: said.slice(0, at), text: said.slice(at + 2) };
}

/**
 * Returns the error of a wallet button that was pressed before both boxes were ticked
 * (specification lines A:201-203).
 */
export function unconfirmed(place: CheckoutPage): CheckoutProblem {
  return place === 'draw'
    ? { ...titled(S.missingConfirmation), untried: true }
    : { title: S.confirmationRequired, text: S.confirmationRequiredText, untried: true };
}

/** Returns the error while the payment library is loading or after it failed to load. */
export function notReady(place: CheckoutPage, couldNotLoad: boolean): CheckoutProblem {
  if (couldNotLoad) return titled(S.systemNotReady);
  if (place === 'draw') return titled(S.paymentNotReady);
  return place === 'checkout'
    ? { title: S.systemNotReadyTitle, text: S.waitAMoment }
    : titled(S.setupInitializing);
}

/** Returns the error for incomplete card fields. */
export function incomplete(place: CheckoutPage, message: string | null): CheckoutProblem {
  if (place === 'checkout') return { title: S.incompleteDetails, text: S.incompleteDetailsText };
  return declined(place, 'card', message);
}

/**
 * Returns the error when the server's check of details, consents and tickets failed or could not be
 * made.
 */
export function invalid([first]: readonly string[]): CheckoutProblem {
  return (
    tooFew(first ?? '') ?? { title: S.validationFailed, text: first ?? S.validationFailedText }
  );
}

/**
 * Recognises the check's sold-out message, which is the same error as a payment refused as sold out
 * (specification line A:283). Null for other messages.
 */
function tooFew(said: string): CheckoutProblem | null {
  const available = Number(/Only (\d+) tickets/.exec(said)?.[1] ?? NaN);
  return said === onlyRemaining(available) ? { ...titled(said), available } : null;
}

/** Returns the error when the provider declined the payment. */
export function declined(
  place: CheckoutPage,
  way: PaymentMethodKind,
  message: string | null,
): CheckoutProblem {
  if (way === 'wallet') {
    if (place === 'checkout')
      return { title: S.paymentFailedTitle, text: message ?? S.walletNotProcessed };
    return { title: S.paymentFailedLower, text: message ?? S.walletFailed };
  }
  if (place === 'draw')
    return { title: S.paymentFailedTitle, text: message ?? S.paymentFailedText };
  if (place === 'checkout') return { title: S.paymentError, text: message ?? S.paymentErrorText };
  return { title: S.paymentFailedLower, text: message ?? S.cartCardFailedText };
}

/** Returns the error when the provider ended with a status that is neither success nor failure. */
export const notSucceeded = (status: string): CheckoutProblem => ({
  title: S.paymentIncomplete,
  text: fill(S.paymentStatus, { status }),
});

/** The wallet could not be started. */
export const walletNotStarted: CheckoutProblem = {
  title: S.walletError,
  text: S.walletErrorText,
  untried: true,
};

export const applePayMissing: CheckoutProblem = {
  title: S.applePayUnavailable,
  text: S.applePayUnavailableText,
  untried: true,
};

/**
 * Returns the error when no payment could be opened. The text is the server's refusal, or else the
 * screen's own.
 */
export function notOpened(
  place: CheckoutPage,
  way: PaymentMethodKind,
  error: unknown,
): CheckoutProblem {
  if (!(error instanceof Problem)) return unreachable(place, way);
  const stale = error.code === 'amount-changed' ? { stale: true } : {};
  const refused = refusal(error);
  if (refused) return refused;
  if (place === 'checkout') {
    if (error.status === 400)
      return { title: S.formValidationError, text: S.formValidationErrorText };
    return { title: S.setupError, text: error.said.message ?? S.failedToCreateIntent, ...stale };
  }
  if (place === 'cart')
    return {
      title: S.setupError,
      text: error.said.message ?? S.failedToCreateCartIntent,
      ...stale,
    };
  const text = error.said.message ?? S.failedToCreateIntent;
  return {
    title: way === 'wallet' ? S.paymentFailedLower : titled(S.setupFailed).title,
    text,
    ...stale,
  };
}

/** Errors with the same meaning on every screen. */
function refusal({ code, said }: Problem): CheckoutProblem | null {
  if (code === 'tickets-unavailable' || code === 'hold-limit') {
    const available = Number(said.available ?? 0);
    return { ...titled(said.message ?? onlyRemaining(available)), available };
  }
  return code === 'maintenance' ? { title: S.maintenance, text: S.maintenanceText } : null;
}

function unreachable(place: CheckoutPage, way: PaymentMethodKind): CheckoutProblem {
  if (place === 'checkout')
    return way === 'wallet' ? walletNotStarted : { title: S.setupError, text: S.setupErrorText };
  if (place === 'cart') return { title: S.setupError, text: S.failedToInitialize };
  return way === 'wallet'
    ? { title: S.paymentFailedLower, text: S.walletFailed }
    : titled(S.setupFailed);
}

/** Returns the error when the check before the payment was refused or got no answer. */
export function notValidated(place: CheckoutPage, error: unknown): CheckoutProblem {
  if (!(error instanceof Problem)) return exception(place, error);
  const refused = refusal(error);
  if (refused) return refused;
  if (place === 'checkout' && error.status === 400)
    return { title: S.formValidationError, text: S.formValidationErrorText };
  return invalid(error.said.message ? [error.said.message] : []);
}

/** Returns the error for any other failure before the provider was asked. */
export function exception(place: CheckoutPage, error: unknown): CheckoutProblem {
  if (place === 'checkout')
    return {
      title: S.processingError,
      text: fill(S.processingErrorText, {
        message: error instanceof Error ? error.message : String(error),
      }),
    };
  return titled(S.purchaseFailed);
}

/**
 * The provider authorised the money, but no tickets could be issued. This toast stands beside the
 * panel with the details.
 */
export const notAllocated: CheckoutProblem = titled(S.purchaseFailed);
