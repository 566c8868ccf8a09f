import { expect, test } from '@playwright/test';
import { buyByCard, expectTickets, newBuyer } from '../support/buyer';
import { READ_RETRIES, findDrawWithTickets } from '../support/draws';

interface Mail {
  to: string;
  text: string;
}

test('the thank-you page links to the club, other draws and the calendar, and copies its text', async ({
  page,
  request,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const draw = await findDrawWithTickets(request, 3);
  await buyByCard(page, draw.drawNumber, 1, newBuyer());
  await expectTickets(page, 1);
  const { clubName } = (await (
    await request.get(`/api/draws/${draw.drawNumber}`, READ_RETRIES)
  ).json()) as { clubName: string };
  await expect(page.getByRole('link', { name: `Return to ${clubName} Page` })).toHaveAttribute(
    'href',
    `/club/${draw.clubSlug}`,
  );
  await expect(page.getByRole('link', { name: 'Browse Other Clubs' })).toHaveAttribute('href', '/');
  await page.getByRole('button', { name: 'Copy to Clipboard' }).click();
  await expect(page.locator('.toast')).toContainText('Copied to clipboard!');
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    new RegExp(
      `Current prize \\$[\\d,]+\\.\\d\\d, \\d+/169 tickets sold[^]*/draw/${draw.drawNumber}`,
    ),
  );
  const link = await page.getByRole('link', { name: 'Add to calendar' }).getAttribute('href');
  const file = await request.get(link ?? '', READ_RETRIES);
  expect(file.ok(), link ?? '').toBe(true);
  expect(file.headers()['content-type']).toContain('text/calendar');
  const lines = (await file.text()).split('\r\n');
  expect(lines.filter((line) => line === 'BEGIN:VEVENT')).toHaveLength(1);
  expect(lines.find((line) => line.startsWith('SUMMARY'))).toContain(
    `${draw.homeTeam} v ${draw.awayTeam}`,
  );
});

test('parameters from a bank’s redirect are removed from the address', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 3);
  await buyByCard(page, draw.drawNumber, 1, newBuyer());
  await expectTickets(page, 1);
  await page.goto(
    '/thank-you?payment_intent=pi_1&payment_intent_client_secret=pi_1_secret_2&redirect_status=succeeded',
  );
  await expectTickets(page, 1);
  expect(page.url()).not.toContain('secret');
});

test('a buyer requests a lost mail, and its link opens only the tickets of that address', async ({
  page,
  browser,
  request,
}) => {
  const [first, second] = [
    await findDrawWithTickets(request, 5),
    await findDrawWithTickets(request, 5),
  ];
  const buyer = newBuyer();
  await buyByCard(page, first.drawNumber, 2, buyer);
  await expectTickets(page, 2);
  await buyByCard(page, second.drawNumber, 1, buyer);
  await expectTickets(page, 1);
  const other = await (
    await browser.newContext({ viewport: { width: 390, height: 844 } })
  ).newPage();
  await other.goto('/my');
  await other.getByLabel('Email Address').fill(buyer.email.toUpperCase());
  await other.getByRole('button', { name: 'Send my link' }).click();
  await expect(other.getByRole('status').filter({ hasText: 'Check your email' })).toBeVisible();
  const linkIn = async () => {
    const { messages } = (await (
      await request.get('/sandbox/mailbox.json', READ_RETRIES)
    ).json()) as {
      messages: Mail[];
    };
    return messages
      .filter((mail) => mail.to.includes(buyer.email))
      .map((mail) => /\/my#[0-9a-f]{64}/.exec(mail.text)?.[0])
      .find(Boolean);
  };
  await expect.poll(linkIn).toBeDefined();
  const link = (await linkIn()) ?? '';
  const asked: string[] = [];
  other.on('request', (call) => asked.push(call.url()));
  await other.goto(link);
  await expect(other.locator('.own-order')).toHaveCount(2);
  await expect(other.locator('.ticket')).toHaveCount(3);
  await expect(other.locator('main')).not.toContainText(buyer.email);
  expect(asked.filter((url) => url.includes(link.slice(-64)) && !url.includes('#'))).toEqual([]);
  // An unknown token shows no order. The page offers to request a new link.
  await other.goto(`/my#${'0'.repeat(64)}`);
  await other.reload();
  await expect(other.getByText('This link is invalid or has expired.')).toBeVisible();
  await expect(other.getByLabel('Email Address')).toBeVisible();
  await other.context().close();
});

test('the own numbers are saved as a picture, and by nobody without the order’s secret', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 3);
  await buyByCard(page, draw.drawNumber, 2, newBuyer());
  await expectTickets(page, 2);
  const asked = page.waitForResponse(/\/picture\//);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save my ticket picture' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`my-numbers-${draw.drawNumber}.png`);
  const answer = await asked;
  expect(answer.headers()['cache-control']).toBe('no-store');
  const guessed = answer.url().replace(/orders\/\w{4}/, 'orders/0000');
  expect((await request.get(guessed)).status()).toBe(404);
});

test('a buyer asks for the reminder, and the link in the mail stops it', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 3);
  await buyByCard(page, draw.drawNumber, 1, newBuyer());
  await expectTickets(page, 1);
  const remind = page.getByRole('switch', { name: 'Remind me' });
  await expect(remind).toHaveAttribute('aria-checked', 'false');
  await remind.focus();
  await page.keyboard.press('Space');
  await expect(page.getByText('You will get both mails.')).toBeVisible();
  await page.getByRole('link', { name: 'My tickets' }).click();
  await expect(remind).toHaveAttribute('aria-checked', 'true');
  await page.goto(`${page.url()}?reminder=off`);
  await expect(page.getByText('You will get no reminders.')).toBeVisible();
  await expect(remind).toHaveAttribute('aria-checked', 'false');
});
