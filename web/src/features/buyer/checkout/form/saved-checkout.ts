/**
 * Data of the two-step checkout in browser storage, under the specified keys (specification line
 * A:125). The data stays stored until the purchase succeeds.
 */
import { forgetStored, readStored, readStoredText, writeStored } from '@/shared/storage';
import type { PurchaseDetails } from './purchase-rules';
import type { WalletKind } from '../payment/wallet-button-slot';

const CHECKOUT_STORAGE_KEYS = {
  count: 'ticketCount',
  buyer: 'buyerInfo',
  age: 'ageConfirmation',
  terms: 'termsAgreement',
  quick: 'quickPay',
  wallet: 'walletCheckout',
  walletType: 'walletType',
} as const;

export interface SavedCheckout {
  ticketCount: number | null;
  details: PurchaseDetails;
  /** Whether the stored `quickPay` or `walletCheckout` is true. */
  walletFirst: boolean;
  walletType: WalletKind | null;
}

const textOrEmpty = (value: unknown): string =>
  typeof value === 'string' ? value.slice(0, 200) : '';
const isStoredTrue = (key: string): boolean => readStoredText('local', key) === 'true';

/**
 * Reads the stored data of the checkout. Malformed data is ignored, as if nothing had been saved.
 */
export function readSavedCheckout(): SavedCheckout {
  const buyer = (readStored('local', CHECKOUT_STORAGE_KEYS.buyer) ?? {}) as Record<string, unknown>;
  const count = Number(readStoredText('local', CHECKOUT_STORAGE_KEYS.count));
  return {
    ticketCount: Number.isInteger(count) && count >= 1 && count <= 50 ? count : null,
    details: {
      name: textOrEmpty(buyer.name ?? buyer.buyerName),
      email: textOrEmpty(buyer.email ?? buyer.buyerEmail),
      phone: textOrEmpty(buyer.phone ?? buyer.buyerPhone),
      overEighteen: isStoredTrue(CHECKOUT_STORAGE_KEYS.age),
      acceptsTerms: isStoredTrue(CHECKOUT_STORAGE_KEYS.terms),
    },
    walletFirst:
      isStoredTrue(CHECKOUT_STORAGE_KEYS.quick) || isStoredTrue(CHECKOUT_STORAGE_KEYS.wallet),
    walletType: walletKindOf(readStoredText('local', CHECKOUT_STORAGE_KEYS.walletType)),
  };
}

/**
 * Returns the wallet named by a text that starts with `apple` or `google`, in upper or lower case.
 * Null for other texts.
 */
export function walletKindOf(text: string | null): WalletKind | null {
  const word = (text ?? '').replace(/"/g, '').toLowerCase();
  if (word.startsWith('apple')) return 'apple';
  return word.startsWith('google') ? 'google' : null;
}

/**
 * Saves the details when the buyer continues to the payment, so that a reload does not lose them.
 */
export function saveCheckout(details: PurchaseDetails, ticketCount: number): void {
  const { name, email, phone, overEighteen, acceptsTerms } = details;
  writeStored('local', CHECKOUT_STORAGE_KEYS.count, ticketCount);
  writeStored('local', CHECKOUT_STORAGE_KEYS.buyer, { name, email, phone });
  writeStored('local', CHECKOUT_STORAGE_KEYS.age, overEighteen);
  writeStored('local', CHECKOUT_STORAGE_KEYS.terms, acceptsTerms);
}

export function forgetSavedCheckout(): void {
  for (const key of Object.values(CHECKOUT_STORAGE_KEYS)) forgetStored('local', key);
}
