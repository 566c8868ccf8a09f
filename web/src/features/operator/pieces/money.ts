/** Money as the console shows it: decimal strings from the server in, dollars out; a minus where one is due. */
import { cents, dollars } from '@/shared/money';

export function signedCents(decimal: string | null | undefined): number {
  const said = (decimal ?? '').trim();
  return said.startsWith('-') ? -cents(said.slice(1)) : cents(said);
}

export const signedDollars = (amount: number): string =>
  amount < 0 ? `−${dollars(-amount)}` : dollars(amount);

/** `"845.00"` → `$845.00`; nothing known → a dash, never a zero that could be believed. */
export const money = (decimal: string | null | undefined): string =>
  decimal === null || decimal === undefined || decimal === ''
    ? '–'
    : signedDollars(signedCents(decimal));

export const sumOf = (amounts: readonly (string | null | undefined)[]): string =>
  signedDollars(amounts.reduce((sum, amount) => sum + signedCents(amount), 0));

/** 350 → `3.5%`. */
export const percent = (bps: number): string => `${bps / 100}%`;
