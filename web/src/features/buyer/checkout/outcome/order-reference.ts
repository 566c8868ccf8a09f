const REFERENCE_CHARS = 8;

/**
 * Returns the reference by which buyers and support name an order, written as in the mails
 * (`order_reference` on the server).
 */
export const orderReference = (paymentIntentId: string): string =>
  paymentIntentId.slice(-REFERENCE_CHARS).toUpperCase();
