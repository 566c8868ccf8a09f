/** The error catalogue (A:258-286): which words belong to which trouble on which screen. Pure; money has not moved in any of them. */
import { Problem } from '@/api/http';
import { S, fill, onlyRemaining } from '@/shared/strings';
import type { Trouble, Way } from './checkout';

/** The draw page's form, the two-step checkout, or the cart's: each has its own words for the same trouble. */
export type Place = 'draw' | 'checkout' | 'cart';

/** 'Payment Error: Payment system not ready.' is a title and a text in one string. */
export function titled(said: string): Trouble {
  const at = said.indexOf(': ');
  return { title: said.slice(0, at), text: said.slice(at + 2) };
}

/** A wallet was pressed before both boxes were ticked (A:201-203). */
export function unconfirmed(place: Place): Trouble {
  return place === 'draw'
    ? { ...titled(S.missingConfirmation), untried: true }
    : { title: S.confirmationRequired, text: S.confirmationRequiredText, untried: true };
}

/** The payment library is not here: it is still coming, or it could not be fetched. */
export function notReady(place: Place, couldNotLoad: boolean): Trouble {
  if (couldNotLoad) return titled(S.systemNotReady);
  if (place === 'draw') return titled(S.paymentNotReady);
  return place === 'checkout'
    ? { title: S.systemNotReadyTitle, text: S.waitAMoment }
    : titled(S.setupInitializing);
}

/** The card's own fields are not filled in. */
export function incomplete(place: Place, message: string | null): Trouble {
  if (place === 'checkout') return { title: S.incompleteDetails, text: S.incompleteDetailsText };
  return declined(place, 'card', message);
}

/** The server's check of details, boxes and tickets said no, or could not be made. */
export function invalid([first]: readonly string[]): Trouble {
  return (
    tooFew(first ?? '') ?? { title: S.validationFailed, text: first ?? S.validationFailedText }
  );
}

/** The check's own sentence that others were faster is the same trouble as the refusal of a payment for it (A:283). */
function tooFew(said: string): Trouble | null {
  const available = Number(/Only (\d+) tickets/.exec(said)?.[1] ?? NaN);
  return said === onlyRemaining(available) ? { ...titled(said), available } : null;
}

/** The provider said no. */
export function declined(place: Place, way: Way, message: string | null): Trouble {
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

/** The provider ended with a status that is neither a yes nor a no. */
export const notSucceeded = (status: string): Trouble => ({
  title: S.paymentIncomplete,
  text: fill(S.paymentStatus, { status }),
});

/** The wallet could not be started at all. */
export const walletNotStarted: Trouble = {
  title: S.walletError,
  text: S.walletErrorText,
  untried: true,
};

export const applePayMissing: Trouble = {
  title: S.applePayUnavailable,
  text: S.applePayUnavailableText,
  untried: true,
};

/** No payment could be opened: by the refusal's own words, else by the screen's. */
export function notOpened(place: Place, way: Way, error: unknown): Trouble {
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

/** What means the same on every screen. */
function refusal({ code, said }: Problem): Trouble | null {
  if (code === 'tickets-unavailable') {
    const available = Number(said.available ?? 0);
    return { ...titled(said.message ?? onlyRemaining(available)), available };
  }
  return code === 'maintenance' ? { title: S.maintenance, text: S.maintenanceText } : null;
}

function unreachable(place: Place, way: Way): Trouble {
  if (place === 'checkout')
    return way === 'wallet' ? walletNotStarted : { title: S.setupError, text: S.setupErrorText };
  if (place === 'cart') return { title: S.setupError, text: S.failedToInitialize };
  return way === 'wallet'
    ? { title: S.paymentFailedLower, text: S.walletFailed }
    : titled(S.setupFailed);
}

/** The check before the payment failed itself: by a refusal, or because nobody answered. */
export function notValidated(place: Place, error: unknown): Trouble {
  if (!(error instanceof Problem)) return exception(place, error);
  const refused = refusal(error);
  if (refused) return refused;
  if (place === 'checkout' && error.status === 400)
    return { title: S.formValidationError, text: S.formValidationErrorText };
  return invalid(error.said.message ? [error.said.message] : []);
}

/** Anything else that went wrong before the provider was asked. */
export function exception(place: Place, error: unknown): Trouble {
  if (place === 'checkout')
    return {
      title: S.processingError,
      text: fill(S.processingErrorText, {
        message: error instanceof Error ? error.message : String(error),
      }),
    };
  return titled(S.purchaseFailed);
}

/** The provider had set the money aside, but the tickets could not be had: the toast beside the panel that tells the rest. */
export const notAllocated: Trouble = titled(S.purchaseFailed);
