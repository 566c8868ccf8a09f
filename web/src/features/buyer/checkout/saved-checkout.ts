/**
 * Data of the two-step checkout in browser storage, under the specified keys (specification line
 * A:125). It is kept until the purchase succeeds.
 */
import { forgetStored, readStored, readStoredText, writeStored } from '@/shared/storage';
import type { Details } from './purchase-rules';
import type { WalletKind } from './wallet-slot';

const KEYS = {
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
  details: Details;
  /** Whether the link or the last visit selected a wallet. */
  walletFirst: boolean;
  walletType: WalletKind | null;
}

const text = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 200) : '');
const yes = (key: string): boolean => readStoredText('local', key) === 'true';

/** Reads malformed data as not saved. */
export function readSavedCheckout(): SavedCheckout {
  const buyer = (readStored('local', KEYS.buyer) ?? {}) as Record<string, unknown>;
  const count = Number(readStoredText('local', KEYS.count));
  return {
    ticketCount: Number.isInteger(count) && count >= 1 && count <= 50 ? count : null,
    details: {
      name: text(buyer.name ?? buyer.buyerName),
      email: text(buyer.email ?? buyer.buyerEmail),
      phone: text(buyer.phone ?? buyer.buyerPhone),
      overEighteen: yes(KEYS.age),
      acceptsTerms: yes(KEYS.terms),
    },
    walletFirst: yes(KEYS.quick) || yes(KEYS.wallet),
    walletType: walletOf(readStoredText('local', KEYS.walletType)),
  };
}

/** Recognises `apple` and `google` in any spelling. */
export function walletOf(said: string | null): WalletKind | null {
  const word = (said ?? '').replace(/"/g, '').toLowerCase();
  if (word.startsWith('apple')) return 'apple';
  return word.startsWith('google') ? 'google' : null;
}

/**
 * Saves the details when the buyer continues to the payment, so that a reload does not lose them.
 */
export function saveCheckout(details: Details, ticketCount: number): void {
  const { name, email, phone, overEighteen, acceptsTerms } = details;
  writeStored('local', KEYS.count, ticketCount);
  writeStored('local', KEYS.buyer, { name, email, phone });
  writeStored('local', KEYS.age, overEighteen);
  writeStored('local', KEYS.terms, acceptsTerms);
}

export function forgetSavedCheckout(): void {
  for (const key of Object.values(KEYS)) forgetStored('local', key);
}
