/** Returns the words of a name without accents, in lower case. Initials are left out. */
const wordsOf = (name: string): string[] =>
  name
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word.length > 1);

/**
 * Whether an account is in another person's name: no word of the buyer's name is in it. A fraud that
 * diverts a prize begins with such an account, and a couple's account shares at least one word.
 */
export function isOtherHolder(buyerName: string, accountName: string): boolean {
  const account = new Set(wordsOf(accountName));
  const buyer = wordsOf(buyerName);
  return buyer.length > 0 && account.size > 0 && !buyer.some((word) => account.has(word));
}
