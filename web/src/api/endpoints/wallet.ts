/** Confirms a wallet payment, with the error that the specification describes (A:245, A:267). */
import { Problem } from '@/api/http';
import type { CompletionAnswer } from '@/api/wire';
import { S, fill } from '@/shared/strings';

const PATH = '/api/payments/confirm-wallet';

/**
 * Addresses that a caller may choose. All are on this site, so that a payment method never leaves
 * it (decision C-22).
 */
const ALLOWED: readonly string[] = [PATH, '/api/process-wallet-payment'];

export interface WalletConfirmation {
  clientSecret: string;
  paymentMethodId: string;
  kind: string;
  /**
   * The payer according to the wallet. Sent before the bank's check, because the buyer may not
   * return from it.
   */
  customerInfo?: { name: string; email: string; phone: string };
}

/**
 * Reads the body as text first, so that the error of a response without JSON has its status and
 * body.
 */
export async function confirmWallet(
  asked: WalletConfirmation,
  path = PATH,
): Promise<CompletionAnswer> {
  const answer = await fetch(ALLOWED.includes(path) ? path : PATH, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(asked),
  });
  const text = await answer.text();
  const said = read(text);
  if (answer.ok) return said as unknown as CompletionAnswer;
  const words = [said.message, said.errorType, said.errorCode]
    .filter((word) => typeof word === 'string' && word !== '')
    .join(' · ');
  const problem = new Problem(answer.status, text, answer.statusText, null);
  problem.said.message = words || fill(S.walletFailedStatus, { status: answer.status });
  throw problem;
}

function read(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
