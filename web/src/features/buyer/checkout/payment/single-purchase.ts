/**
 * The server calls that buy one draw's tickets by card or by wallet (specification lines A:239-250,
 * decision B-7).
 */
import {
  completeCardPayment,
  createPaymentIntent,
  sendDebugLog,
  processWalletPayment,
  completeDrawPurchase,
  validatePurchase,
} from '@/api/endpoints/buyer';
import type { Buyer, Draw } from '@/api/wire';
import type { Price } from '@/shared/money';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import type { OrderIds } from '../state/checkout';
import type { Purchase } from './pay';
import type { PurchaseDetails } from '../form/purchase-rules';

export interface SingleDrawOrder {
  draw: Pick<Draw, 'drawNumber'>;
  count: number;
  price: Price;
}

export const GIVEN_CONSENTS = { ageConfirmation: true, termsAgreement: true };

export const customerInfoOf = ({ buyerName, buyerEmail, buyerPhone }: Buyer) => ({
  name: buyerName,
  email: buyerEmail,
  phone: buyerPhone,
});

const logBackgroundFailure = (error: unknown) =>
  sendDebugLog('warn', 'background purchase', { message: String(error).slice(0, 120) });

/**
 * Returns the card purchase of the draw page or of the two-step checkout. The two differ in the
 * field for the buyer's details and in the call that completes the purchase.
 */
export function buildDrawCardPurchase(
  { draw, count, price }: SingleDrawOrder,
  buyer: Buyer,
  page: 'draw' | 'checkout' = 'draw',
): Purchase {
  const { drawNumber } = draw;
  const done = { drawNumber, ticketCount: count, buyer, ...GIVEN_CONSENTS };
  const ticketRequest = { drawNumber, ticketCount: count, expectedAmount: price.total };
  return {
    scope: `draw:${drawNumber}`,
    page,
    method: 'card',
    buyer,
    validate: async () => {
      const { valid, errors } = await validatePurchase(done);
      return valid ? [] : [errors[0] ?? S.validationFailedText];
    },
    open: (clientKey) =>
      createPaymentIntent(
        page === 'draw'
          ? { ...ticketRequest, buyer, clientKey }
          : { ...ticketRequest, customerInfo: customerInfoOf(buyer), clientKey },
      ),
    complete: ({ paymentIntentId, orderToken }) =>
      page === 'draw'
        ? completeCardPayment({ ...done, paymentIntentId, orderToken })
        : completeDrawPurchase({
            ...done,
            paymentIntentId,
            orderToken,
            expectedAmount: price.total,
          }),
  };
}

/**
 * The payer's details from a wallet. A payer without a name or an e-mail address still gets tickets
 * (decision C-11).
 */
export type WalletPayer = { name?: string; email?: string; phone?: string } | undefined;

/** Returns the payer with the wallet's name, or else with the name typed in the form. */
export const payerWithTypedName = (
  payer: WalletPayer,
  { name }: Pick<PurchaseDetails, 'name'>,
): WalletPayer => ({
  ...payer,
  name: payer?.name?.trim() || name,
});

export function buyerFromWalletPayer(payer: WalletPayer): Buyer {
  return {
    buyerName: payer?.name?.trim() || S.fallbackBuyer,
    buyerEmail: payer?.email?.trim() ?? '',
    buyerPhone: payer?.phone?.trim() ?? '',
  };
}

/**
 * Returns the wallet purchase. On the draw page, the provider's library confirms the payment. On
 * the checkout page, the server confirms it with the wallet's confirmation token (specification line
 * A:246).
 */
export function buildDrawWalletPurchase(
  { draw, count, price }: SingleDrawOrder,
  payer: WalletPayer,
  page: 'draw' | 'checkout' = 'draw',
): Purchase {
  const { drawNumber } = draw;
  const buyer = buyerFromWalletPayer(payer);
  const customerInfo = customerInfoOf(buyer);
  const background = ({ paymentIntentId, orderToken }: OrderIds) =>
    completeDrawPurchase({
      drawNumber,
      ticketCount: count,
      paymentIntentId,
      orderToken,
      buyer,
      expectedAmount: price.total,
      ...GIVEN_CONSENTS,
    });
  const byToken: Purchase['byToken'] = async (confirmationTokenId, order) => {
    const answer = await processWalletPayment({
      drawNumber,
      ticketCount: count,
      confirmationTokenId,
      customerInfo,
    });
    // The purchase does not wait for this call, which stores the two ticked consent boxes
    // (specification line A:249).
    if (answer.status === 'succeeded') void background(order).catch(logBackgroundFailure);
    return answer;
  };
  return {
    scope: `draw:${drawNumber}`,
    page,
    method: 'wallet',
    // Null, because the wallet itself passes the billing details to the provider.
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
    ...(page === 'checkout' ? { byToken } : {}),
    complete: background,
  };
}
