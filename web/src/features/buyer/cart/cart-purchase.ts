/**
 * The server calls that buy a whole cart in one payment. The cart belongs to one club and is bought
 * completely or not at all (decision C-10).
 */
import {
  completeCartCardPayment,
  createCartIntent,
  sendDebugLog,
  completeCartPurchase,
} from '@/api/endpoints/buyer';
import type { CartIntentRequest } from '@/api/endpoints/buyer';
import { confirmWalletPayment } from '@/api/endpoints/wallet';
import { HttpError } from '@/api/http';
import type { Buyer, IntentResponse } from '@/api/wire';
import type { Purchase } from '@/features/buyer/checkout/payment/pay';
import {
  GIVEN_CONSENTS,
  customerInfoOf,
  buyerFromWalletPayer,
} from '@/features/buyer/checkout/payment/single-purchase';
import type { WalletPayer } from '@/features/buyer/checkout/payment/single-purchase';
import {
  cacheIntentResponse,
  readCachedIntentResponse,
} from '@/features/buyer/checkout/payment/intent-response-cache';
import type { Cents } from '@/shared/money';
import { CART_PURCHASE_SCOPE, type Cart } from './cart';

const cartRequestItems = (cart: Cart): CartIntentRequest['items'] =>
  cart.items.map(({ drawId, quantity, ticketPrice, passStripeFees, bundleId }) => ({
    drawId,
    quantity,
    ticketPrice,
    passStripeFees,
    bundleId,
  }));

/**
 * Returns a key for the contents of the cart, under which the payment's response is cached.
 * It contains the draw, count, price and fee flag of each line.
 */
export const cartContentsKey = (cart: Cart): string =>
  cart.items
    .map(
      ({ drawId, quantity, ticketPrice, passStripeFees }) =>
        `${drawId}×${quantity}@${ticketPrice}${passStripeFees ? '+' : ''}`,
    )
    .join(' ');

/**
 * Adds the name of the refused game to the error's message when the cart has several games
 * (decision C-10).
 */
function addGameNameToRefusal(cart: Cart, error: unknown): unknown {
  const item =
    error instanceof HttpError && cart.items.length > 1
      ? cart.items.find(({ drawNumber }) => drawNumber === error.body.drawNumber)
      : undefined;
  if (item && error instanceof HttpError)
    error.body.message = `${error.body.message ?? ''} (${item.homeTeam} v ${item.awayTeam})`.trim();
  return error;
}

/**
 * Opens the cart's single payment or changes its amount. Within two minutes, an unchanged cart uses
 * the cached response (specification line A:188).
 */
export async function openCartPayment(
  cart: Cart,
  expectedAmount: Cents,
  clientKey: string,
): Promise<IntentResponse> {
  const contents = cartContentsKey(cart);
  const cached = readCachedIntentResponse(CART_PURCHASE_SCOPE, contents);
  if (cached) return cached;
  const answer = await createCartIntent({
    items: cartRequestItems(cart),
    clientKey,
    expectedAmount,
  }).catch((error: unknown) => {
    throw addGameNameToRefusal(cart, error);
  });
  cacheIntentResponse(CART_PURCHASE_SCOPE, contents, answer);
  return answer;
}

/**
 * Returns the card purchase of a cart. The server confirms its payment with the card's
 * confirmation token (specification line A:243, decision C-5).
 */
export function buildCartCardPurchase(cart: Cart, total: Cents, buyer: Buyer): Purchase {
  const items = cartRequestItems(cart);
  return {
    ...sharedCartPurchaseFields(cart, total, buyer),
    method: 'card',
    buyer,
    byToken: (confirmationTokenId) =>
      completeCartCardPayment({ items, buyer, ...GIVEN_CONSENTS, confirmationTokenId }),
  };
}

export function buildCartWalletPurchase(cart: Cart, total: Cents, payer: WalletPayer): Purchase {
  const buyer = buyerFromWalletPayer(payer);
  const { complete, ...rest } = sharedCartPurchaseFields(cart, total, buyer);
  return {
    ...rest,
    complete,
    method: 'wallet',
    buyer: null,
    byToken: async (confirmationTokenId, order) => {
      const answer = await confirmWalletPayment({
        clientSecret: order.clientSecret,
        confirmationTokenId,
        kind: 'cart',
        customerInfo: customerInfoOf(buyer),
      });
      if (answer.status === 'succeeded')
        void complete(order).catch((error: unknown) =>
          sendDebugLog('warn', 'background purchase', { message: String(error).slice(0, 120) }),
        );
      return answer;
    },
  };
}

function sharedCartPurchaseFields(
  cart: Cart,
  total: Cents,
  buyer: Buyer,
): Omit<Purchase, 'method' | 'buyer'> {
  return {
    scope: CART_PURCHASE_SCOPE,
    page: 'cart',
    validate: () => Promise.resolve([]),
    open: (clientKey) => openCartPayment(cart, total, clientKey),
    complete: ({ paymentIntentId, orderToken }) =>
      completeCartPurchase({
        items: cartRequestItems(cart),
        paymentIntentId,
        orderToken,
        buyer,
        ...GIVEN_CONSENTS,
      }),
  };
}
