import { expect, test, type Locator, type Page } from '@playwright/test';
import {
  THREE_D_SECURE_CARD,
  DECLINED_CARD,
  buyByCard,
  expectTickets,
  fillCard,
  payButton,
  newBuyer,
  tickConsentBoxes,
} from '../support/buyer';
import { READ_RETRIES, fetchListedDraw, findDrawWithTickets } from '../support/draws';
import { createTestDraw } from '../support/own-draw';

const soldCounter = (page: Page) => page.locator('.board-stats .num').first();

test('a guest buys three tickets by card, two open boards update, and a mail is sent', async ({
  page,
  browser,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 5);
  const boards = await Promise.all(
    [1, 2].map(async () =>
      (await browser.newContext({ viewport: { width: 1280, height: 720 } })).newPage(),
    ),
  );
  for (const board of boards) {
    await board.goto(`/draw/${draw.drawNumber}/display`);
    await expect(soldCounter(board)).toHaveText(/^\d+ \/ 169$/);
  }
  const before = await fetchListedDraw(request, draw.drawNumber);
  const buyer = newBuyer();
  await buyByCard(page, draw.drawNumber, 3, buyer);
  await expectTickets(page, 3);
  for (const board of boards) {
    await expect(soldCounter(board)).toHaveText(`${before.ticketsSold + 3} / 169`);
    await expect(board.locator('.slot.is-sold')).toHaveCount(before.ticketsSold + 3);
  }
  await expect
    .poll(async () => await (await request.get('/sandbox/mailbox.json', READ_RETRIES)).text())
    .toContain(buyer.email);
  await Promise.all(boards.map((board) => board.context().close()));
});

test('a wallet purchase takes three taps from the link: both confirmations, the wallet, its sheet', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 3);
  const before = await fetchListedDraw(request, draw.drawNumber);
  await page.setViewportSize({ width: 390, height: 844 });
  let taps = 0;
  const tap = async (target: ReturnType<Page['getByRole']>) => {
    taps += 1;
    await target.click();
  };
  await page.goto(`/draw/${draw.drawNumber}?quantity=2`);
  const wallet = page.getByRole('button', { name: /Pay with (Apple|Google) Pay/ });
  await tap(page.getByLabel('Confirm both'));
  for (const box of ['I confirm that I am over 18 years of age', /I accept the/])
    await expect(page.getByLabel(box)).toBeChecked();
  const box = await wallet.boundingBox();
  expect((box?.y ?? 999) + (box?.height ?? 0)).toBeLessThanOrEqual(844);
  await tap(wallet);
  // The sandbox's wallet sheet has a button in place of face or fingerprint recognition.
  await tap(page.getByRole('button', { name: 'Confirm payment' }));
  await expectTickets(page, 2);
  expect(taps).toBe(3);
  expect((await fetchListedDraw(request, draw.drawNumber)).ticketsSold).toBe(
    before.ticketsSold + 2,
  );
});

test('the wallet shows at once, and pressed before the confirmations says what is missing', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 1);
  await page.goto(`/draw/${draw.drawNumber}`);
  await page.getByRole('button', { name: /Pay with (Apple|Google) Pay/ }).click();
  const both = page.getByLabel('Confirm both');
  await expect(both).toBeFocused();
  const message = page.locator('.buy .callout.is-bad');
  await expect(message).toContainText(
    'Please confirm your age and accept the terms before proceeding.',
  );
  await expect(page.getByRole('button', { name: 'Confirm payment' })).toHaveCount(0);
  await page.getByLabel(/I accept the/).check();
  expect(await both.evaluate((box: HTMLInputElement) => box.indeterminate)).toBe(true);
  await expect(message).toBeVisible();
  await page.getByLabel('I confirm that I am over 18 years of age').check();
  await expect(both).toBeChecked();
  await expect(message).toHaveCount(0);
  await expect(page.locator('.toast')).toHaveCount(0);
});

test('a declined card is not charged, and another card buys', async ({ page, request }) => {
  const draw = await findDrawWithTickets(request, 3);
  const before = await fetchListedDraw(request, draw.drawNumber);
  await buyByCard(page, draw.drawNumber, 1, newBuyer(), DECLINED_CARD);
  await expect(page.locator('.callout.is-bad')).toContainText('Your card was declined.');
  await expect(page.locator('.callout.is-bad')).toContainText('You have not been charged.');
  await expect(page.locator('.callout.is-bad'), 'it is said where it was pressed').toBeInViewport();
  expect((await fetchListedDraw(request, draw.drawNumber)).ticketsSold).toBe(before.ticketsSold);
  await expect(page.getByLabel('Full Name')).not.toHaveValue('');
  await fillCard(page, '4242424242424242');
  await payButton(page).click();
  await expectTickets(page, 1);
  expect((await fetchListedDraw(request, draw.drawNumber)).ticketsSold).toBe(
    before.ticketsSold + 1,
  );
});

test('a bank’s challenge is answered, and a buyer who declines it is not charged', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 3);
  const before = await fetchListedDraw(request, draw.drawNumber);
  await buyByCard(page, draw.drawNumber, 1, newBuyer(), THREE_D_SECURE_CARD);
  await page.getByRole('button', { name: 'Fail', exact: true }).click();
  await expect(page.locator('.callout.is-bad')).toContainText('You have not been charged.');
  expect((await fetchListedDraw(request, draw.drawNumber)).ticketsSold).toBe(before.ticketsSold);
  await payButton(page).click();
  await page.getByRole('button', { name: 'Complete', exact: true }).click();
  await expectTickets(page, 1);
});

test('a double press buys once', async ({ page, request }) => {
  const draw = await findDrawWithTickets(request, 5);
  const before = await fetchListedDraw(request, draw.drawNumber);
  await page.goto(`/draw/${draw.drawNumber}`);
  await tickConsentBoxes(page);
  await page.getByLabel('Full Name').fill('Dee Double');
  await page.getByLabel('Email Address').fill('dee@example.com');
  await page.getByLabel('Phone Number').fill('0400 000 000');
  await fillCard(page, '4242424242424242');
  await payButton(page).dblclick();
  await expectTickets(page, 1);
  expect((await fetchListedDraw(request, draw.drawNumber)).ticketsSold).toBe(
    before.ticketsSold + 1,
  );
});

test('of two buyers of the last ticket, one gets it and the other is not charged', async ({
  browser,
  playwright,
  request,
  baseURL,
}) => {
  const draw = await createTestDraw(playwright, baseURL ?? '', { left: 1 });
  const pages = await Promise.all([1, 2].map(async () => (await browser.newContext()).newPage()));
  for (const page of pages) {
    await page.goto(`/draw/${draw.drawNumber}`);
    await expect(page.getByText('Quantity · 1 left')).toBeVisible();
    await tickConsentBoxes(page);
    const person = newBuyer();
    await page.getByLabel('Full Name').fill(person.name);
    await page.getByLabel('Email Address').fill(person.email);
    await page.getByLabel('Phone Number').fill('0400 000 000');
    await fillCard(page, '4242424242424242');
  }
  // The slower buyer may find no payment form, because the other buyer's payment holds the last
  // ticket.
  await Promise.all(
    pages.map((page) =>
      payButton(page)
        .click({ timeout: 5_000 })
        .catch(() => {}),
    ),
  );
  const tickets = async () =>
    await Promise.all(pages.map((page) => page.locator('.ticket').count()));
  await expect.poll(async () => (await tickets()).sort()).toEqual([0, 1]);
  const loser = pages[(await tickets()).indexOf(0)];
  await expect(loser?.locator('.buy .panel, .callout.is-bad').first() as Locator).toBeVisible();
  expect(await tickets()).toContain(0);
  expect((await fetchListedDraw(request, draw.drawNumber)).ticketsSold).toBe(169);
  const late = await (await browser.newContext()).newPage();
  await late.goto(`/draw/${draw.drawNumber}`);
  await expect(late.getByRole('heading', { name: 'Sold Out!' })).toBeVisible();
});
