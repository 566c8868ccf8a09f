/** One draw's tickets, bought by card or by wallet: which calls carry it (A:239-250, decision B-7). */
import {
  completeCardPayment,
  createPaymentIntent,
  debugLog,
  processWalletPayment,
  purchaseTickets,
  validatePurchase,
} from '@/api/endpoints/buyer';
import type { Buyer, Draw } from '@/api/wire';
import type { Price } from '@/shared/money';
import { S } from '@/shared/strings';
import type { Purchase } from './pay';
import type { Details } from './purchase-rules';

export interface SingleOrder {
  draw: Pick<Draw, 'drawNumber'>;
  count: number;
  price: Price;
}

const CONSENTS = { ageConfirmation: true, termsAgreement: true };

export const customerOf = ({ buyerName, buyerEmail, buyerPhone }: Buyer) => ({
  name: buyerName,
  email: buyerEmail,
  phone: buyerPhone,
});

const noted = (error: unknown) =>
  debugLog('warn', 'background purchase', { message: String(error).slice(0, 120) });

/** The draw page's form and the two-step checkout buy by card alike; they differ in the call that completes. */
export function cardPurchase(
  { draw, count, price }: SingleOrder,
  buyer: Buyer,
  place: 'draw' | 'checkout' = 'draw',
): Purchase {
  const { drawNumber } = draw;
  const done = { drawNumber, ticketCount: count, buyer, ...CONSENTS };
  const wanted = { drawNumber, ticketCount: count, expectedAmount: price.total };
  return {
    scope: `draw:${drawNumber}`,
    place,
    way: 'card',
    buyer,
    validate: async () => {
      const { valid, errors } = await validatePurchase(done);
      return valid ? [] : [errors[0] ?? S.validationFailedText];
    },
    open: (clientKey) =>
      createPaymentIntent(
        place === 'draw'
          ? { ...wanted, buyer, clientKey }
          : { ...wanted, customerInfo: customerOf(buyer), clientKey },
      ),
    complete: (paymentIntentId) =>
      place === 'draw'
        ? completeCardPayment({ ...done, paymentIntentId })
        : purchaseTickets({ ...done, paymentIntentId, expectedAmount: price.total }),
  };
}

/** What a wallet hands over; a payer without a name or address still gets tickets (decision C-11). */
export type WalletPayer = { name?: string; email?: string; phone?: string } | undefined;

/** A wallet that gives an address but no name: the name that was typed here stays the buyer's. */
export const named = (payer: WalletPayer, { name }: Pick<Details, 'name'>): WalletPayer => ({
  ...payer,
  name: payer?.name?.trim() || name,
});

export function payerOf(payer: WalletPayer): Buyer {
  return {
    buyerName: payer?.name?.trim() || S.fallbackBuyer,
    buyerEmail: payer?.email?.trim() ?? '',
    buyerPhone: payer?.phone?.trim() ?? '',
  };
}

/** On the draw page the provider confirms; on the checkout page the wallet's method goes to the server (A:246). */
export function walletPurchase(
  { draw, count, price }: SingleOrder,
  payer: WalletPayer,
  place: 'draw' | 'checkout' = 'draw',
): Purchase {
  const { drawNumber } = draw;
  const buyer = payerOf(payer);
  const customerInfo = customerOf(buyer);
  const background = (paymentIntentId: string) =>
    purchaseTickets({
      drawNumber,
      ticketCount: count,
      paymentIntentId,
      buyer,
      expectedAmount: price.total,
      ...CONSENTS,
    });
  const byMethod: Purchase['byMethod'] = async (paymentMethodId, order) => {
    const answer = await processWalletPayment({
      drawNumber,
      ticketCount: count,
      paymentMethodId,
      customerInfo,
    });
    // Nobody waits for it: it only brings the two ticked boxes (A:249).
    if (answer.status === 'succeeded') void background(order.paymentIntentId).catch(noted);
    return answer;
  };
  return {
    scope: `draw:${drawNumber}`,
    place,
    way: 'wallet',
    // The wallet itself gives the provider the billing details.
    buyer: null,
    validate: () => Promise.resolve([]),
    open: (clientKey) =>
      createPaymentIntent({
        drawId: drawNumber,
        ticketCount: count,
        customerInfo: buyer.buyerEmail ? customerInfo : undefined,
        clientKey,
        expectedAmount: price.total,
      }),
    ...(place === 'checkout' ? { byMethod } : {}),
    complete: background,
  };
}
