/** A whole cart in one payment: which calls carry it. All or nothing, one club (decision C-10). */
import { createCartIntent, purchaseCart, type CartIntent } from '@/api/endpoints/buyer';
import type { Buyer } from '@/api/wire';
import type { Purchase } from '@/features/buyer/checkout/pay';
import type { WalletPayer } from '@/features/buyer/checkout/single-purchase';
import { S } from '@/shared/strings';
import { totals, type Cart } from './cart';

export const CART_SCOPE = 'cart';

const itemsOf = (cart: Cart): CartIntent['items'] => cart.items.map(({ drawId, quantity, ticketPrice, passStripeFees }) => ({ drawId, quantity, ticketPrice, passStripeFees }));

export const openCart = (cart: Cart, clientKey: string) => createCartIntent({ items: itemsOf(cart), clientKey, expectedAmount: totals(cart).total });

export function cartByCard(cart: Cart, buyer: Buyer): Purchase {
  return { ...common(cart, buyer), way: 'card', buyer };
}

export function cartByWallet(cart: Cart, payer: WalletPayer): Purchase {
  const buyer = { buyerName: payer?.name?.trim() || S.fallbackBuyer, buyerEmail: payer?.email?.trim() ?? '', buyerPhone: payer?.phone?.trim() ?? '' };
  return { ...common(cart, buyer), way: 'wallet', buyer: null };
}

function common(cart: Cart, buyer: Buyer): Omit<Purchase, 'way' | 'buyer'> {
  const items = itemsOf(cart);
  return {
    scope: CART_SCOPE,
    validate: () => Promise.resolve(null),
    open: (clientKey) => openCart(cart, clientKey),
    complete: (paymentIntentId) => purchaseCart({ items, paymentIntentId, buyer, ageConfirmation: true, termsAgreement: true }),
  };
}
