/** Formats decimal strings from the server as dollars, with a minus sign for negative amounts. */
import { decimalToCents, formatDollars } from '@/shared/money';

export function signedCents(decimal: string | null | undefined): number {
  const text = (decimal ?? '').trim();
  return text.startsWith('-') ? -decimalToCents(text.slice(1)) : decimalToCents(text);
}

export const signedDollars = (amount: number): string =>
  amount < 0 ? `−${formatDollars(-amount)}` : formatDollars(amount);

/**
 * Formats `"845.00"` as `$845.00`. A missing amount is a dash, because a zero would look like a
 * real amount.
 */
export const amountText = (decimal: string | null | undefined): string =>
  decimal === null || decimal === undefined || decimal === ''
    ? '–'
    : signedDollars(signedCents(decimal));

export const sumText = (amounts: readonly (string | null | undefined)[]): string =>
  signedDollars(amounts.reduce((sum, amount) => sum + signedCents(amount), 0));

/** Formats basis points: 350 → `3.5%`. */
export const percentText = (bps: number): string => `${bps / 100}%`;
