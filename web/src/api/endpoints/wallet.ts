/**
 * Confirms a wallet payment on the server. A failure becomes the error that the specification
 * describes (specification lines A:245, A:267).
 */
import { HttpError } from '@/api/http';
import type { CompletionResponse } from '@/api/wire';
import { PUBLIC_TEXTS as S, fillPlaceholders } from '@/shared/strings';

const CONFIRM_WALLET_PATH = '/api/payments/confirm-wallet';

/**
 * API paths that may confirm a wallet payment. All are on this site, so that a confirmation token
 * never goes to another site (decision C-22).
 */
const WALLET_CONFIRM_PATHS: readonly string[] = [
  CONFIRM_WALLET_PATH,
  '/api/process-wallet-payment',
];

export interface WalletConfirmation {
  clientSecret: string;
  confirmationTokenId: string;
  kind: string;
  /**
   * The payer according to the wallet. Sent before the bank's check, because the buyer may not
   * return from that check.
   */
  customerInfo?: { name: string; email: string; phone: string };
}

/**
 * Confirms the wallet payment. Reads the response body as text first, so that the error for a
 * response without JSON contains its status and body.
 */
export async function confirmWalletPayment(
  confirmation: WalletConfirmation,
  path = CONFIRM_WALLET_PATH,
): Promise<CompletionResponse> {
  const answer = await fetch(WALLET_CONFIRM_PATHS.includes(path) ? path : CONFIRM_WALLET_PATH, {
    method: 'POST',
    credentials: 'same-origin',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify(confirmation),
  });
  const text = await answer.text();
  const parsed = parseObject(text);
  if (answer.ok) return parsed as unknown as CompletionResponse;
  const details = [parsed.message, parsed.errorType, parsed.errorCode]
    .filter((word) => typeof word === 'string' && word !== '')
    .join(' · ');
  const problem = new HttpError(answer.status, text, answer.statusText, null);
  problem.body.message =
    details || fillPlaceholders(S.walletFailedStatus, { status: answer.status });
  throw problem;
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
