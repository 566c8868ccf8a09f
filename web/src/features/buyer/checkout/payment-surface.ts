/** The one seam to the payment provider's library: submit what was typed, confirm a payment, say plainly what came of it. */
import type { Stripe, StripeElements, StripeError } from '@stripe/stripe-js';
import type { Buyer } from '@/api/wire';
import { S } from '@/shared/strings';

export type Confirmation = { kind: 'authorised' } | { kind: 'declined'; message: string } | { kind: 'unsure' };

export interface PaymentSurface {
  /** Checks what was typed into the provider's fields; a message when it will not do. */
  submit: () => Promise<string | null>;
  confirm: (clientSecret: string, buyer: Buyer | null, returnTo: string) => Promise<Confirmation>;
}

/** Money is set aside as soon as the provider says one of these; the server takes it only after the tickets are issued. */
const AUTHORISED = new Set(['requires_capture', 'succeeded', 'processing']);

export function stripeSurface(stripe: Stripe, elements: StripeElements): PaymentSurface {
  return {
    submit: async () => {
      const { error } = await elements.submit();
      return error ? (error.message ?? S.incompleteDetailsText) : null;
    },
    confirm: async (clientSecret, buyer, returnTo) => {
      const billing = buyer ? { payment_method_data: { billing_details: { name: buyer.buyerName, email: buyer.buyerEmail, phone: buyer.buyerPhone } } } : {};
      try {
        const { error, paymentIntent } = await stripe.confirmPayment({
          elements,
          clientSecret,
          redirect: 'if_required',
          confirmParams: { return_url: returnTo, ...billing },
        });
        if (error) return await afterError(stripe, clientSecret, error);
        return confirmationOf(paymentIntent.status);
      } catch {
        return await lookAgain(stripe, clientSecret, S.paymentFailedText);
      }
    },
  };
}

function confirmationOf(status: string, message: string = S.paymentFailedText): Confirmation {
  if (AUTHORISED.has(status)) return { kind: 'authorised' };
  if (status === 'requires_payment_method' || status === 'requires_confirmation' || status === 'requires_action' || status === 'canceled') return { kind: 'declined', message };
  return { kind: 'unsure' };
}

/** A decline is an answer; anything else may have reached the provider, so it is asked what it knows. */
async function afterError(stripe: Stripe, clientSecret: string, error: StripeError): Promise<Confirmation> {
  const message = error.message ?? S.paymentFailedText;
  if (error.type === 'card_error' || error.type === 'validation_error') return { kind: 'declined', message };
  return lookAgain(stripe, clientSecret, message);
}

async function lookAgain(stripe: Stripe, clientSecret: string, message: string): Promise<Confirmation> {
  try {
    const { paymentIntent } = await stripe.retrievePaymentIntent(clientSecret);
    return paymentIntent ? confirmationOf(paymentIntent.status, message) : { kind: 'unsure' };
  } catch {
    return { kind: 'unsure' };
  }
}
