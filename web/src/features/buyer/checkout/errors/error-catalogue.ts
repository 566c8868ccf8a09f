/**
 * The error catalogue (specification lines A:258-286): the text for each error on each screen.
 * Pure. No money has moved in any of these cases but `ticketsNotAllocatedError`.
 */
import { HttpError } from '@/api/http';
import { splitTitle } from '@/shared/split-title';
import { PUBLIC_TEXTS as S, fillPlaceholders, onlyRemainingText } from '@/shared/strings';
import type { CheckoutError, PaymentMethodKind } from '../state/checkout';

/**
 * The page that shows an error: the draw page, the two-step checkout or the cart. The text of an
 * error may depend on the page.
 */
export type CheckoutPage = 'draw' | 'checkout' | 'cart';

/**
 * Returns the error of a wallet button that was pressed before both consent boxes were ticked
 * (specification line A:203).
 */
export function consentsMissingError(page: CheckoutPage): CheckoutError {
  const texts =
    page === 'draw'
      ? splitTitle(S.missingConfirmation)
      : { title: S.confirmationRequired, text: S.confirmationRequiredText };
  return { ...texts, notAttempted: true, missingConsent: true };
}

/** Returns the error while the payment library is loading or after it failed to load. */
export function paymentNotReadyError(page: CheckoutPage, couldNotLoad: boolean): CheckoutError {
  if (couldNotLoad) return splitTitle(S.systemNotReady);
  if (page === 'draw') return splitTitle(S.paymentNotReady);
  return page === 'checkout'
    ? { title: S.systemNotReadyTitle, text: S.waitAMoment }
    : splitTitle(S.setupInitializing);
}

/** Returns the error for incomplete card fields. */
export function incompleteCardError(page: CheckoutPage, message: string | null): CheckoutError {
  if (page === 'checkout') return { title: S.incompleteDetails, text: S.incompleteDetailsText };
  return declinedError(page, 'card', message);
}

/**
 * Returns the error for the first problem that the server's check of details, consents and tickets
 * reported. Without a problem's text, the error has a general text.
 */
export function validationError([first]: readonly string[]): CheckoutError {
  return (
    soldOutError(first ?? '') ?? {
      title: S.validationFailed,
      text: first ?? S.validationFailedText,
    }
  );
}

/**
 * Recognises the sold-out message of the server's check. The result equals the error of a payment
 * refused as sold out (specification line A:283). Null for other messages.
 */
function soldOutError(message: string): CheckoutError | null {
  const available = Number(/Only (\d+) tickets/.exec(message)?.[1] ?? NaN);
  return message === onlyRemainingText(available) ? { ...splitTitle(message), available } : null;
}

/** Returns the error when the provider declined the payment. */
export function declinedError(
  page: CheckoutPage,
  method: PaymentMethodKind,
  message: string | null,
): CheckoutError {
  if (method === 'wallet') {
    if (page === 'checkout')
      return { title: S.paymentFailedTitle, text: message ?? S.walletNotProcessed };
    return { title: S.paymentFailedLower, text: message ?? S.walletFailed };
  }
  if (page === 'draw') return { title: S.paymentFailedTitle, text: message ?? S.paymentFailedText };
  if (page === 'checkout') return { title: S.paymentError, text: message ?? S.paymentErrorText };
  return { title: S.paymentFailedLower, text: message ?? S.cartCardFailedText };
}

/**
 * Returns the error when the provider ended the payment with a status that is neither success nor
 * failure.
 */
export const unexpectedStatusError = (status: string): CheckoutError => ({
  title: S.paymentIncomplete,
  text: fillPlaceholders(S.paymentStatus, { status }),
});

/** Error when the wallet could not be started. */
export const walletStartError: CheckoutError = {
  title: S.walletError,
  text: S.walletErrorText,
  notAttempted: true,
};

export const applePayUnavailableError: CheckoutError = {
  title: S.applePayUnavailable,
  text: S.applePayUnavailableText,
  notAttempted: true,
};

/**
 * Returns the error when the server opened no payment. Its text is the server's refusal, or else a
 * text of this page.
 */
export function paymentOpeningError(
  page: CheckoutPage,
  method: PaymentMethodKind,
  error: unknown,
): CheckoutError {
  if (!(error instanceof HttpError)) return serverUnreachableError(page, method);
  const stale = error.code === 'amount-changed' ? { stale: true } : {};
  const refusalError = commonRefusalError(error);
  if (refusalError) return refusalError;
  if (page === 'checkout') {
    if (error.status === 400)
      return { title: S.formValidationError, text: S.formValidationErrorText };
    return { title: S.setupError, text: error.body.message ?? S.failedToCreateIntent, ...stale };
  }
  if (page === 'cart')
    return {
      title: S.setupError,
      text: error.body.message ?? S.failedToCreateCartIntent,
      ...stale,
    };
  const text = error.body.message ?? S.failedToCreateIntent;
  return {
    title: method === 'wallet' ? S.paymentFailedLower : splitTitle(S.setupFailed).title,
    text,
    ...stale,
  };
}

/** Returns the error for a refusal that has one text on all pages. Null for other refusals. */
function commonRefusalError({ code, body }: HttpError): CheckoutError | null {
  if (code === 'tickets-unavailable' || code === 'hold-limit') {
    const available = Number(body.available ?? 0);
    return { ...splitTitle(body.message ?? onlyRemainingText(available)), available };
  }
  return code === 'maintenance' ? { title: S.maintenance, text: S.maintenanceText } : null;
}

function serverUnreachableError(page: CheckoutPage, method: PaymentMethodKind): CheckoutError {
  if (page === 'checkout')
    return method === 'wallet' ? walletStartError : { title: S.setupError, text: S.setupErrorText };
  if (page === 'cart') return { title: S.setupError, text: S.failedToInitialize };
  return method === 'wallet'
    ? { title: S.paymentFailedLower, text: S.walletFailed }
    : splitTitle(S.setupFailed);
}

/** Returns the error when the server's check before the payment was refused or got no response. */
export function validationRequestError(page: CheckoutPage, error: unknown): CheckoutError {
  if (!(error instanceof HttpError)) return unexpectedError(page, error);
  const refusalError = commonRefusalError(error);
  if (refusalError) return refusalError;
  if (page === 'checkout' && error.status === 400)
    return { title: S.formValidationError, text: S.formValidationErrorText };
  return validationError(error.body.message ? [error.body.message] : []);
}

/** Returns the error for any other failure before the payment provider was asked. */
export function unexpectedError(page: CheckoutPage, error: unknown): CheckoutError {
  if (page === 'checkout')
    return {
      title: S.processingError,
      text: fillPlaceholders(S.processingErrorText, {
        message: error instanceof Error ? error.message : String(error),
      }),
    };
  return splitTitle(S.purchaseFailed);
}

/**
 * Text when the provider authorised the money but no tickets could be issued. The outcome panel
 * also says what happens to the money.
 */
export const ticketsNotAllocatedError: CheckoutError = splitTitle(S.purchaseFailed);
