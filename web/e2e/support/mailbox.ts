/** Reads the demo's mailbox, which contains every sent mail. */
import { expect, type APIRequestContext } from '@playwright/test';

export interface Letter {
  kind: string;
  to: string;
  subject: string;
  text: string;
}

/**
 * Waits for the newest mail of this kind to an address that contains these words, and returns it.
 */
export async function mailTo(
  request: APIRequestContext,
  to: string,
  kind: string,
  words = '',
): Promise<Letter> {
  let found: Letter | undefined;
  await expect(async () => {
    const answer = await request.get(
      `/sandbox/mailbox.json?to=${encodeURIComponent(to)}&kind=${kind}`,
    );
    const { messages } = (await answer.json()) as { messages: Letter[] };
    found = messages.find((letter) => letter.text.includes(words));
    expect(found, `a letter ${kind} to ${to}`).toBeDefined();
  }).toPass({ timeout: 30_000 });
  return found as Letter;
}
