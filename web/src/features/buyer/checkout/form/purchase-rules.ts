/**
 * Required fields and consent boxes of a purchase, with the specified messages in the specified
 * order (specification lines A:202-203). Pure.
 */
import type { Buyer } from '@/api/wire';
import { PUBLIC_TEXTS as S } from '@/shared/strings';
import type { FormProblem } from '@/shared/ui/problem-list';

export const PURCHASE_FIELD_IDS = {
  name: 'buyer-name',
  email: 'buyer-email',
  phone: 'buyer-phone',
  bothConsents: 'both-consents',
  age: 'age-confirmation',
  terms: 'terms-agreement',
  card: 'card-fields',
  quantity: 'quantity',
} as const;

export interface PurchaseDetails {
  name: string;
  email: string;
  phone: string;
  overEighteen: boolean;
  acceptsTerms: boolean;
}

export const EMPTY_PURCHASE_DETAILS: PurchaseDetails = {
  name: '',
  email: '',
  phone: '',
  overEighteen: false,
  acceptsTerms: false,
};

/**
 * Returns the problems of a card purchase. Fields are only checked for being non-empty after
 * trimming, as specified.
 */
export function cardFormProblems(details: PurchaseDetails): FormProblem[] {
  const missing = (text: string) => text.trim() === '';
  return [
    missing(details.name) && { field: PURCHASE_FIELD_IDS.name, text: S.nameRequired },
    missing(details.email) && { field: PURCHASE_FIELD_IDS.email, text: S.emailRequired },
    missing(details.phone) && { field: PURCHASE_FIELD_IDS.phone, text: S.phoneRequired },
    ...consentProblems(details),
  ].filter((problem) => problem !== false);
}

export function consentProblems(
  details: Pick<PurchaseDetails, 'overEighteen' | 'acceptsTerms'>,
): FormProblem[] {
  return [
    !details.overEighteen && { field: PURCHASE_FIELD_IDS.age, text: S.ageRequired },
    !details.acceptsTerms && { field: PURCHASE_FIELD_IDS.terms, text: S.termsRequired },
  ].filter((problem) => problem !== false);
}

export function buyerOfDetails(details: PurchaseDetails): Buyer {
  return {
    buyerName: details.name.trim(),
    buyerEmail: details.email.trim(),
    buyerPhone: details.phone.trim(),
  };
}

/** Limits the wanted count to the range from 1 to min(available, perPurchase). */
export function clampTicketCount(wanted: number, available: number, perPurchase = 50): number {
  return Math.max(1, Math.min(Math.floor(wanted) || 1, available, perPurchase));
}

/**
 * Returns the ticket count in a link, at most the count that can be bought. Returns 1 if the link
 * has no whole number above zero (specification line A:81).
 */
export function ticketCountFromQuery(
  search: string,
  name: string,
  available: number,
  perPurchase = 50,
): number {
  const text = new URLSearchParams(search).get(name) ?? '';
  const count = /^\d{1,6}$/.test(text) ? Number(text) : 1;
  return clampTicketCount(count, available, perPurchase);
}

const KNOWN_EMAIL_DOMAINS = [
  'gmail.com',
  'hotmail.com',
  'outlook.com',
  'bigpond.com',
  'icloud.com',
  'yahoo.com',
  'live.com',
  'optusnet.com.au',
];

/**
 * Suggests `gmail.com` for `jo@gmial.com`. The suggestion is only a hint and does not block the
 * purchase.
 */
export function emailTypoHint(email: string): string | null {
  const domain = /^[^@\s]+@([^@\s]+)$/.exec(email.trim())?.[1]?.toLowerCase();
  if (!domain || KNOWN_EMAIL_DOMAINS.includes(domain)) return null;
  const near = KNOWN_EMAIL_DOMAINS.find((knownDomain) => editDistance(domain, knownDomain) <= 2);
  return near ? `Did you mean ${near}?` : null;
}

/**
 * Returns the edit distance, or 3 if the lengths differ by more than 2. Two swapped adjacent
 * letters count as one edit.
 */
function editDistance(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return 3;
  const rows: number[][] = [[...Array(other.length + 1).keys()]];
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    for (let j = 1; j <= other.length; j++) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      let best = Math.min(
        (rows[i - 1]?.[j] ?? 9) + 1,
        (row[j - 1] ?? 9) + 1,
        (rows[i - 1]?.[j - 1] ?? 9) + same,
      );
      if (one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1])
        best = Math.min(best, (rows[i - 2]?.[j - 2] ?? 9) + 1);
      row.push(best);
    }
    rows.push(row);
  }
  return rows[one.length]?.[other.length] ?? 9;
}
