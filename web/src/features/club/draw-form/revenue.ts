/**
 * Computes a draw's revenue for a number of sold tickets, for the create form (specification lines
 * B:252-255).
 */
import { prizeOf, fractionRoundedHalfUp, type Cents } from '@/shared/money';

export interface RevenueTerms {
  price: Cents;
  prizePercentage: number;
  roundUpPrize: boolean;
  /** Whether the buyer pays the card fee. */
  passStripeFees: boolean;
}

/**
 * The platform fee from the server's policy. The screens contain no platform fee rate (interface
 * decision D17).
 */
export interface FeePolicy {
  rateBps: number;
  capCents: Cents;
}

export interface RevenueBreakdown {
  revenue: Cents;
  platformFee: Cents;
  cardFees: Cents;
  /**
   * Cents that the club receives: revenue minus the platform fee and the card fees that the club
   * bears.
   */
  receives: Cents;
  prize: Cents;
  /** Cents that remain after the prize is paid; may be negative. */
  keeps: Cents;
}

/** Estimates the number of payments: tickets ÷ 5.8, rounded up, at least one (decision D-7). */
export const estimatedPaymentCount = (sold: number): number =>
  Math.max(1, Math.ceil((sold * 10) / 58));

export function computeRevenue(
  terms: RevenueTerms,
  sold: number,
  policy: FeePolicy,
): RevenueBreakdown {
  const revenue = terms.price * sold;
  const platformFee = Math.min(
    policy.capCents,
    fractionRoundedHalfUp(revenue, policy.rateBps, 10_000),
  );
  const cardFees =
    terms.passStripeFees || revenue === 0
      ? 0
      : fractionRoundedHalfUp(revenue, 17, 1000) + 30 * estimatedPaymentCount(sold);
  const receives = revenue - platformFee - cardFees;
  const prize = prizeOf(sold, terms.price, terms.prizePercentage, terms.roundUpPrize);
  return { revenue, platformFee, cardFees, receives, prize, keeps: receives - prize };
}
