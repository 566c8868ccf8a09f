/**
 * The server calls that buy a whole cart in one payment. All or nothing, for one club (decision
 * C-10).
 */
import {
  completeCartCard,
  createCartIntent,
  debugLog,
  purchaseCart,
  type CartIntent,
} from '@/api/endpoints/buyer';
import { confirmWallet } from '@/api/endpoints/wallet';
import { Problem } from '@/api/http';
import type { Buyer, IntentAnswer } from '@/api/wire';
import type { Purchase } from '@/features/buyer/checkout/pay';
import { customerOf, payerOf, type WalletPayer } from '@/features/buyer/checkout/single-purchase';
import { keepSecret, keptSecret } from '@/features/buyer/checkout/secret-cache';
import type { Cents } from '@/shared/money';
import { CART_SCOPE, type Cart } from './cart';

const CONSENTS = { ageConfirmation: true, termsAgreement: true };

const itemsOf = (cart: Cart): CartIntent['items'] =>
  cart.items.map(({ drawId, quantity, ticketPrice, passStripeFees, bundleId }) => ({
    drawId,
    quantity,
    ticketPrice,
    passStripeFees,
    bundleId,
  }));

/**
 * Returns the cache key of the payment's secret. The key changes with anything that affects the
 * amount.
 */
export const contentsOf = (cart: Cart): string =>
  cart.items
    .map(
      ({ drawId, quantity, ticketPrice, passStripeFees }) =>
        `${drawId}×${quantity}@${ticketPrice}${passStripeFees ? '+' : ''}`,
    )
    .join(' ');

/** Names the game that was refused, when the cart has several (decision C-10). */
function naming(cart: Cart, error: unknown): unknown {
  const item =
    error instanceof Problem && cart.items.length > 1
      ? cart.items.find(({ drawNumber }) => drawNumber === error.said.drawNumber)
      : undefined;
  if (item && error instanceof Problem)
    error.said.message = `${error.said.message ?? ''} (${item.homeTeam} v ${item.awayTeam})`.trim();
  return error;
}

/**
 * Opens or resizes the cart's single payment. Unchanged contents are not requested again within two
 * minutes (specification line A:188).
 */
export async function openCart(
  cart: Cart,
  expectedAmount: Cents,
  clientKey: string,
): Promise<IntentAnswer> {
  const contents = contentsOf(cart);
  const kept = keptSecret(CART_SCOPE, contents);
  if (kept) return kept;
  const answer = await createCartIntent({ items: itemsOf(cart), clientKey, expectedAmount }).catch(
    (error: unknown) => {
      throw naming(cart, error);
    },
  );
  keepSecret(CART_SCOPE, contents, answer);
  return answer;
}

/**
 * Confirms the cart's payment on the server with the card's payment method (specification line
 * A:243, decision C-5).
 */
export function cartByCard(cart: Cart, total: Cents, buyer: Buyer): Purchase {
  const items = itemsOf(cart);
  return {
    ...common(cart, total, buyer),
    way: 'card',
    buyer,
    byMethod: (paymentMethodId) => completeCartCard({ items, buyer, ...CONSENTS, paymentMethodId }),
  };
}

export function cartByWallet(cart: Cart, total: Cents, payer: WalletPayer): Purchase {
  const buyer = payerOf(payer);
  const { complete, ...rest } = common(cart, total, buyer);
  return {
    ...rest,
    complete,
    way: 'wallet',
    buyer: null,
    byMethod: async (paymentMethodId, order) => {
      const answer = await confirmWallet({
        clientSecret: order.clientSecret,
        paymentMethodId,
        kind: 'cart',
        customerInfo: customerOf(buyer),
      });
      if (answer.status === 'succeeded')
        void complete(order).catch((error: unknown) =>
          debugLog('warn', 'background purchase', { message: String(error).slice(0, 120) }),
        );
      return answer;
    },
  };
}

function common(cart: Cart, total: Cents, buyer: Buyer): Omit<Purchase, 'way' | 'buyer'> {
  return {
    scope: CART_SCOPE,
    place: 'cart',
    validate: () => Promise.resolve([]),
    open: (clientKey) => openCart(cart, total, clientKey),
    complete: ({ paymentIntentId, orderToken }) =>
      purchaseCart({ items: itemsOf(cart), paymentIntentId, orderToken, buyer, ...CONSENTS }),
  };
}
