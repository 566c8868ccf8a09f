/**
 * The payment calls of the provider's library: submit the input, create a confirmation token,
 * confirm a payment.
 */
import type {
  ConfirmPaymentData,
  CreateConfirmationToken,
  Stripe,
  StripeElements,
  StripeError,
} from '@stripe/stripe-js';
import type { Buyer } from '@/api/wire';
import { reportStripeException } from './stripe-exceptions';

export type PaymentConfirmation =
  | { kind: 'authorised' }
  | { kind: 'declined'; message: string | null }
  /** The provider returned a status that means neither success nor failure. */
  | { kind: 'open'; status: string }
  | { kind: 'unsure' };

export type ConfirmationTokenResult =
  { kind: 'made'; id: string } | { kind: 'refused'; message: string | null };

export interface PaymentGateway {
  /**
   * Validates the input of the provider's fields. Resolves to the problem, or to null when the
   * input is valid.
   */
  submit: () => Promise<{ message: string | null } | null>;
  confirm: (
    clientSecret: string,
    buyer: Buyer | null,
    returnTo: string,
  ) => Promise<PaymentConfirmation>;
  /**
   * Creates a confirmation token from the typed card or the open wallet. The server confirms one
   * payment with it.
   */
  confirmationToken: (buyer: Buyer | null) => Promise<ConfirmationTokenResult>;
  /** Lets the buyer answer the bank's challenge after the server has confirmed the payment. */
  nextAction: (clientSecret: string) => Promise<PaymentConfirmation>;
}

/**
 * Provider statuses that count as authorised money. The server captures the money only after the
 * tickets are issued.
 */
const AUTHORISED_STATUSES = new Set(['requires_capture', 'succeeded', 'processing']);
const CARD_NEEDED_STATUSES = new Set(['requires_payment_method', 'requires_confirmation']);

interface ConfirmOptions {
  elements: StripeElements;
  clientSecret: string;
  redirect: 'if_required';
  confirmParams: ConfirmPaymentData;
}

interface NextActionOptions {
  clientSecret: string;
}

/** Text for the buyer when the library cannot check its fields. */
const SUBMIT_FAILED_TEXT = 'The card form does not work right now.';

const billingDetailsOf = (buyer: Buyer) => ({
  name: buyer.buyerName,
  email: buyer.buyerEmail,
  phone: buyer.buyerPhone,
});

export function createStripeGateway(stripe: Stripe, elements: StripeElements): PaymentGateway {
  return {
    submit: async () => {
      try {
        const { error } = await elements.submit();
        return error ? { message: error.message ?? null } : null;
      } catch (error) {
        reportStripeException('submit', error);
        throw new Error(SUBMIT_FAILED_TEXT, { cause: error });
      }
    },
    confirm: async (clientSecret, buyer, returnTo) => {
      try {
        const { error, paymentIntent } = await stripe.confirmPayment({
          elements,
          clientSecret,
          redirect: 'if_required',
          confirmParams: {
            return_url: returnTo,
            payment_method_data: buyer ? { billing_details: billingDetailsOf(buyer) } : undefined,
          },
        } satisfies ConfirmOptions);
        if (error) return await confirmationAfterError(stripe, clientSecret, error);
        return confirmationFromStatus(paymentIntent.status);
      } catch (error) {
        reportStripeException('confirm', error);
        return await refetchPaymentStatus(stripe, clientSecret);
      }
    },
    confirmationToken: async (buyer) => {
      try {
        const { error, confirmationToken } = await stripe.createConfirmationToken({
          elements,
          params: {
            payment_method_data: buyer ? { billing_details: billingDetailsOf(buyer) } : undefined,
          },
        } satisfies CreateConfirmationToken);
        return error
          ? { kind: 'refused', message: error.message ?? null }
          : { kind: 'made', id: confirmationToken.id };
      } catch (error) {
        reportStripeException('confirmation_token', error);
        return { kind: 'refused', message: null };
      }
    },
    nextAction: async (clientSecret) => {
      try {
        const { error, paymentIntent } = await stripe.handleNextAction({
          clientSecret,
        } satisfies NextActionOptions);
        if (error) return await confirmationAfterError(stripe, clientSecret, error);
        return paymentIntent
          ? confirmationFromStatus(paymentIntent.status)
          : await refetchPaymentStatus(stripe, clientSecret);
      } catch (error) {
        reportStripeException('next_action', error);
        return await refetchPaymentStatus(stripe, clientSecret);
      }
    },
  };
}

function confirmationFromStatus(
  status: string,
  message: string | null = null,
): PaymentConfirmation {
  if (AUTHORISED_STATUSES.has(status)) return { kind: 'authorised' };
  return CARD_NEEDED_STATUSES.has(status)
    ? { kind: 'declined', message }
    : { kind: 'open', status };
}

/**
 * Returns the result after an error of the provider. A card error or invalid input is a decline.
 * After any other error the provider may have received the request, so the payment's status is
 * requested.
 */
async function confirmationAfterError(
  stripe: Stripe,
  clientSecret: string,
  error: StripeError,
): Promise<PaymentConfirmation> {
  const message = error.message ?? null;
  if (error.type === 'card_error' || error.type === 'validation_error')
    return { kind: 'declined', message };
  return refetchPaymentStatus(stripe, clientSecret, message);
}

async function refetchPaymentStatus(
  stripe: Stripe,
  clientSecret: string,
  message: string | null = null,
): Promise<PaymentConfirmation> {
  try {
    const { paymentIntent } = await stripe.retrievePaymentIntent(clientSecret);
    return paymentIntent
      ? confirmationFromStatus(paymentIntent.status, message)
      : { kind: 'unsure' };
  } catch {
    return { kind: 'unsure' };
  }
}
