/**
 * Formats and computes amounts in whole cents. Decimal strings are parsed without floating point.
 */

export type Cents = number;

/** Parses dollars to cents: `"5.00"` → 500. Invalid text returns 0. */
export function decimalToCents(decimal: string | null | undefined): Cents {
  const match = /^(\d+)(?:\.(\d{1,2}))?$/.exec((decimal ?? '').trim());
  if (!match) return 0;
  return Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'));
}

/** Formats cents: 1047 → `$10.47`. */
export function formatDollars(amount: Cents): string {
  const whole = Math.floor(amount / 100)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');
  return `$${whole}.${String(amount % 100).padStart(2, '0')}`;
}

/** Formats cents as whole dollars, rounded down, as boards show them: 28250 → `$282`. */
export function formatWholeDollars(amount: Cents): string {
  return formatDollars(Math.floor(amount / 100) * 100).slice(0, -3);
}

/** Returns `amount × numerator ÷ denominator`, rounded half up, in integers. */
export function fractionRoundedHalfUp(
  amount: Cents,
  numerator: number,
  denominator: number,
): Cents {
  return Math.floor((2 * amount * numerator + denominator) / (2 * denominator));
}

/**
 * Returns the card fee of one line: 1.7 % of the subtotal, rounded half up, plus 30 cents
 * (specification line A:298, decision D-5).
 */
export function cardFeeOf(subtotal: Cents): Cents {
  return subtotal === 0 ? 0 : fractionRoundedHalfUp(subtotal, 17, 1000) + 30;
}

export interface Price {
  subtotal: Cents;
  cardFee: Cents;
  total: Cents;
}

/**
 * Returns the price of several tickets of one draw. A purchase sends the total, and the server
 * refuses to charge another amount (decision C-3).
 */
export function priceOf(ticket: Cents, count: number, passOnFee: boolean): Price {
  const subtotal = ticket * count;
  const fee = passOnFee ? cardFeeOf(subtotal) : 0;
  return { subtotal, cardFee: fee, total: subtotal + fee };
}

/**
 * How the server adds the card fees of several lines. The specified default is per line (decision
 * D-6).
 */
export type SurchargeMode = 'per_line' | 'per_charge';

/** Returns the total of several lines, with one card fee per line or one for all lines. */
export function sumPrices(
  lines: readonly { subtotal: Cents; passesFee: boolean }[],
  mode: SurchargeMode,
): Price {
  const sum = (numbers: readonly Cents[]) => numbers.reduce((all, number) => all + number, 0);
  const subtotal = sum(lines.map((line) => line.subtotal));
  const passing = lines.filter((line) => line.passesFee).map((line) => line.subtotal);
  const fee = sum(
    (mode === 'per_charge' && passing.length > 0 ? [sum(passing)] : passing).map(cardFeeOf),
  );
  return { subtotal, cardFee: fee, total: subtotal + fee };
}

/**
 * Formats a ticket price: `$5.00`, or `$5.00 + $0.39 fee = $5.39` if the buyer pays the fee. The
 * full price is always shown (interface decision D14).
 */
export function ticketPriceText(decimal: string, passOnFee: boolean): string {
  const ticket = decimalToCents(decimal);
  if (!passOnFee) return formatDollars(ticket);
  const { cardFee: fee, total } = priceOf(ticket, 1, true);
  return `${formatDollars(ticket)} + ${formatDollars(fee)} fee = ${formatDollars(total)}`;
}

/**
 * Returns the prize for the sold tickets. With round-up, a positive prize rises to the next $10
 * (specification line A:297, decision D-8).
 */
export function prizeOf(sold: number, ticket: Cents, percentage: number, roundUp: boolean): Cents {
  const share = fractionRoundedHalfUp(sold * ticket, percentage, 100);
  return roundUp ? Math.ceil(share / 1000) * 1000 : share;
}

/**
 * Returns the prize shown on a landing card, which rounds up only from $5 (specification line
 * A:297, decision D-8).
 */
export function landingCardPrizeOf(
  sold: number,
  ticket: Cents,
  percentage: number,
  roundUp: boolean,
): Cents {
  return prizeOf(
    sold,
    ticket,
    percentage,
    roundUp && prizeOf(sold, ticket, percentage, false) >= 500,
  );
}
