/** Reads the sandbox's mailbox, which contains the latest mails of the demo. */
import { expect, type APIRequestContext } from '@playwright/test';

export interface ReceivedMail {
  kind: string;
  to: string;
  subject: string;
  text: string;
}

/** Waits for a mail of this kind to `to` that contains `text`. Returns the newest one. */
export async function waitForMail(
  request: APIRequestContext,
  to: string,
  kind: string,
  text = '',
): Promise<ReceivedMail> {
  let match: ReceivedMail | undefined;
  await expect(async () => {
    const answer = await request.get(
      `/sandbox/mailbox.json?to=${encodeURIComponent(to)}&kind=${kind}`,
    );
    const { messages } = (await answer.json()) as { messages: ReceivedMail[] };
    match = messages.find((letter) => letter.text.includes(text));
    expect(match, `a letter ${kind} to ${to}`).toBeDefined();
  }).toPass({ timeout: 30_000 });
  return match as ReceivedMail;
}
