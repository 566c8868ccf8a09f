import { expect, test } from '@playwright/test';
import { expectNoViolations } from '../support/axe';
import { waitUntilLoaded, signIn } from '../support/club';
import { waitForMail } from '../support/mailbox';
import { bringKickOffForward, createTestDraw } from '../support/own-draw';

test('a winner is notified, answers by the one-time link and is paid', async ({
  page,
  browser,
  playwright,
  baseURL,
}) => {
  test.setTimeout(120_000);
  await page.setViewportSize({ width: 390, height: 844 });
  const draw = await createTestDraw(playwright, baseURL ?? '', { left: 0 });
  await bringKickOffForward(playwright, baseURL ?? '', draw.drawNumber);
  await signIn(page, baseURL ?? '', draw.club);
  const entered = await page.request.post(`/api/draws/${draw.drawNumber}/results`, {
    headers: { origin: new URL(baseURL ?? '').origin },
    data: { homeFirstTryScorer: 4, awayFirstTryScorer: 11 },
  });
  expect(entered.ok(), await entered.text()).toBe(true);
  const { winningTickets } = (await entered.json()) as {
    winningTickets: { buyerEmail: string; serialNumber: string }[];
  };
  const winner = winningTickets[0];
  await page.goto(`/club/${draw.club.slug}/admin/results/${draw.drawNumber}`);
  await waitUntilLoaded(page);
  await expectNoViolations(page, 'winner before the mail');
  await page.getByRole('button', { name: 'Notify Winner' }).click();
  await expect(page.locator('.toast')).toContainText('1 out of 1 winners notified');

  const letter = await waitForMail(
    page.request,
    winner?.buyerEmail ?? '',
    'winner',
    winner?.serialNumber ?? '',
  );
  const link = /https?:\/\/\S+\/claim#[0-9a-f]+/.exec(letter.text)?.[0] ?? '';
  const phone = await browser.newPage({ viewport: { width: 390, height: 844 } });
  const open = async () => {
    await phone.goto('about:blank');
    await phone.goto(new URL(link).pathname + new URL(link).hash);
  };
  await open();
  await expect(phone.getByRole('heading', { level: 1 })).toContainText('you won');
  expect(new URL(phone.url()).hash, 'the secret has left the address').toBe('');
  // A phone reloads the page after the winner has looked up the BSB in another app.
  await phone.reload();
  await expect(phone.getByRole('heading', { level: 1 })).toContainText('you won');
  await expectNoViolations(phone, 'claim');
  await phone.getByRole('button', { name: 'Send my bank details' }).click();
  await expect(phone.getByText('Account name is required').first()).toBeVisible();
  await expectNoViolations(phone, 'claim with problems');
  await phone.getByLabel('Account name').fill('Robin Winner');
  await phone.getByLabel('BSB').fill('062000');
  await phone.getByLabel('Account number').fill('76543210');
  await phone.getByRole('button', { name: 'Send my bank details' }).click();
  await expect(phone.getByRole('heading', { name: 'Thank you' })).toBeVisible();
  await expect(phone.getByText('••••210')).toBeVisible();
  await expectNoViolations(phone, 'claim received');

  await page.reload();
  await waitUntilLoaded(page);
  const payout = page.getByRole('region', { name: 'Payout Management' });
  await expect(payout.getByRole('heading', { name: /^Details received ?, done$/ })).toBeVisible();
  await expect(payout).toContainText('Robin Winner');
  await expect(payout).toContainText(
    /The account is in the name of Robin Winner, not of Crowd \d+\./,
  );
  await expect(payout, 'the number stays masked').not.toContainText('76543210');
  // A phone of 390 px at 150 % zoom has 260 px.
  await page.setViewportSize({ width: 260, height: 563 });
  const holder = await payout.getByText('Robin Winner', { exact: true }).boundingBox();
  expect(holder?.width, 'the account name is one line, not one letter a line').toBeGreaterThan(100);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(260);
  await page.setViewportSize({ width: 390, height: 844 });
  await payout.getByRole('button', { name: 'Show full numbers' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await expectNoViolations(page, 'reveal dialog');
  await page.getByRole('dialog').getByLabel('Password', { exact: true }).fill('demo-password');
  await page.keyboard.press('Enter');
  await expect(page.getByText('76543210')).toBeVisible();
  await page.getByRole('button', { name: /^I have paid/ }).click();
  const question = page.getByRole('alertdialog', { name: /^Have you paid/ });
  await expect(question).toBeVisible();
  await expectNoViolations(page, 'settle dialog');
  await question.getByRole('button', { name: /^I have paid/ }).click();
  await expect(page.locator('.toast').filter({ hasText: 'Payout marked as paid' })).toBeVisible();
  await expect(payout.getByRole('heading', { name: /^Paid ?, done$/ })).toBeVisible();
  await expect(payout.getByRole('button', { name: /^Undo: not paid yet/ })).toBeVisible();
  await expectNoViolations(page, 'paid');

  await open();
  await expect(phone.getByRole('heading', { name: 'The prize has been paid' })).toBeVisible();
  await phone.close();
});
