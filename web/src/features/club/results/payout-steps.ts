/** The steps of a payout, and which one is next. */
import type { Payout, Winner, WinnersResponse } from '@/api/wire-club';

/** The next step: e-mail the winner, wait for bank details, pay, or nothing. */
export type PayoutStep = 'notify' | 'details' | 'pay' | 'done';

export function payoutStepOf(
  winner: Pick<Winner, 'winnerPayoutStatus'>,
  answer: Pick<WinnersResponse, 'notified'>,
  paid: boolean,
): PayoutStep {
  if (paid || winner.winnerPayoutStatus === 'completed') return 'done';
  if (winner.winnerPayoutStatus === 'details_received') return 'pay';
  return answer.notified ? 'details' : 'notify';
}

/** Returns the first word of the winner's name. */
export const firstNameOf = ({ buyerName }: Pick<Winner, 'buyerName'>): string =>
  buyerName?.trim().split(/\s+/)[0] || 'the winner';

export const canUndoPayout = ({ undoUntil }: Pick<Payout, 'undoUntil'>, nowMs: number): boolean =>
  undoUntil !== null && nowMs < Date.parse(undoUntil);
