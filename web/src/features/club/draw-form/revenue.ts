/** What a draw would bring the club at so many sold tickets, as the create form shows it while one types (B:252-255). */
import { prize as prizeOf, shareHalfUp, type Cents } from '@/shared/money';

export interface Terms {
  price: Cents;
  prizePercentage: number;
  roundUpPrize: boolean;
  /** The buyer pays the card fee. */
  passStripeFees: boolean;
}

/** The platform's fee as the server's policy has it; no rate is written into the screens (D17). */
export interface FeePolicy {
  rateBps: number;
  capCents: Cents;
}

export interface Breakdown {
  revenue: Cents;
  platformFee: Cents;
  cardFees: Cents;
  /** Revenue less platform fee and less the card fees that the club bears. */
  receives: Cents;
  prize: Cents;
  /** What stays after the winner is paid; can be below zero. */
  keeps: Cents;
}

/** Payments are estimated as tickets ÷ 5.8, rounded up, at least one (decision D-7). */
export const transactionsOf = (sold: number): number => Math.max(1, Math.ceil((sold * 10) / 58));

export function breakdown(terms: Terms, sold: number, policy: FeePolicy): Breakdown {
  const revenue = terms.price * sold;
  const platformFee = Math.min(policy.capCents, shareHalfUp(revenue, policy.rateBps, 10_000));
  const cardFees =
    terms.passStripeFees || revenue === 0
      ? 0
      : shareHalfUp(revenue, 17, 1000) + 30 * transactionsOf(sold);
  const receives = revenue - platformFee - cardFees;
  const prize = prizeOf(sold, terms.price, terms.prizePercentage, terms.roundUpPrize);
  return { revenue, platformFee, cardFees, receives, prize, keeps: receives - prize };
}
