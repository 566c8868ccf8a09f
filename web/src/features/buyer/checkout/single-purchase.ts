/** One draw's tickets, bought by card or by wallet: which calls carry it. */
import { completeCardPayment, createPaymentIntent, purchaseTickets, validatePurchase } from '@/api/endpoints/buyer';
import type { Buyer, Draw } from '@/api/wire';
import type { Price } from '@/shared/money';
import { S } from '@/shared/strings';
import type { Purchase } from './pay';

export interface SingleOrder {
  draw: Pick<Draw, 'drawNumber'>;
  count: number;
  price: Price;
}

const CONSENTS = { ageConfirmation: true, termsAgreement: true };

export function cardPurchase({ draw, count, price }: SingleOrder, buyer: Buyer): Purchase {
  const { drawNumber } = draw;
  return {
    scope: `draw:${drawNumber}`,
    way: 'card',
    buyer,
    validate: async () => {
      const { valid, errors } = await validatePurchase({ drawNumber, ticketCount: count, buyer, ...CONSENTS });
      return valid ? null : (errors[0] ?? S.validationFailedText);
    },
    open: (clientKey) => createPaymentIntent({ drawNumber, ticketCount: count, buyer, clientKey, expectedAmount: price.total }),
    complete: (paymentIntentId) => completeCardPayment({ drawNumber, ticketCount: count, paymentIntentId, buyer, ...CONSENTS }),
  };
}

/** What a wallet hands over; a payer without a name or address still gets tickets (decision C-11). */
export type WalletPayer = { name?: string; email?: string; phone?: string } | undefined;

export function walletPurchase({ draw, count, price }: SingleOrder, payer: WalletPayer): Purchase {
  const { drawNumber } = draw;
  const buyer: Buyer = { buyerName: payer?.name?.trim() || S.fallbackBuyer, buyerEmail: payer?.email?.trim() ?? '', buyerPhone: payer?.phone?.trim() ?? '' };
  const customerInfo = buyer.buyerEmail ? { name: buyer.buyerName, email: buyer.buyerEmail, phone: buyer.buyerPhone } : undefined;
  return {
    scope: `draw:${drawNumber}`,
    way: 'wallet',
    // The wallet itself gives the provider the billing details.
    buyer: null,
    validate: () => Promise.resolve(null),
    open: (clientKey) => createPaymentIntent({ drawNumber, ticketCount: count, customerInfo, clientKey, expectedAmount: price.total }),
    complete: (paymentIntentId) => purchaseTickets({ drawNumber, ticketCount: count, paymentIntentId, buyer, expectedAmount: price.total, ...CONSENTS }),
  };
}
