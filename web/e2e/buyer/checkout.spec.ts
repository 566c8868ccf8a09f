import { expect, test } from '@playwright/test';
import {
  GOOD_CARD,
  expectTickets,
  fillCard,
  fillDetails,
  payButton,
  newBuyer,
  tickConsentBoxes,
} from '../support/buyer';
import { createTestDraw } from '../support/own-draw';
import {
  READ_RETRIES,
  listActiveDraws,
  buyThroughApi,
  fetchListedDraw,
  findDrawWithTickets,
} from '../support/draws';

test('the two-step checkout reserves at once, locks the details and sells', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 4);
  const before = await fetchListedDraw(request, draw.drawNumber);
  await page.goto(`/checkout/${draw.drawNumber}?tickets=2`);
  await expect(page.locator('.timer-bar [role=timer]')).toHaveText(
    /Tickets reserved for [12]:\d\d/,
  );
  await fillDetails(page, newBuyer());
  await expect(page.getByRole('button', { name: 'Continue to Payment' })).toBeHidden();
  await page.getByLabel('I am over 18 years old').check();
  await page.getByLabel(/I accept the/).check();
  await page.getByRole('button', { name: 'Continue to Payment' }).click();
  await expect(page.getByLabel('Full Name')).toHaveAttribute('readonly');
  await page.getByRole('button', { name: 'Change Details' }).click();
  await page.getByRole('button', { name: 'Continue to Payment' }).click();
  await expect(page.getByLabel('Card number')).toBeVisible();
  const [kept, needed] = await page
    .locator('.card-box')
    .evaluate((box) => [
      parseFloat(getComputedStyle(box).minHeight),
      box.getBoundingClientRect().height,
    ]);
  expect(
    needed,
    'the place of the card is kept for it, so that nothing jumps when its fields come',
  ).toBeLessThanOrEqual(kept ?? 0);
  await fillCard(page, GOOD_CARD);
  await payButton(page).click();
  await expectTickets(page, 2);
  expect((await fetchListedDraw(request, draw.drawNumber)).ticketsSold).toBe(
    before.ticketsSold + 2,
  );
});

test('leaving the checkout releases the tickets', async ({
  page,
  request,
  playwright,
  baseURL,
}) => {
  const draw = await createTestDraw(playwright, baseURL ?? '');
  const held = async () =>
    (
      (await (await request.get(`/api/draws/${draw.drawNumber}`, READ_RETRIES)).json()) as {
        ticketsHeld: number;
      }
    ).ticketsHeld;
  const before = await held();
  await page.goto(`/checkout/${draw.drawNumber}?tickets=3`);
  await expect.poll(held).toBe(before + 3);
  await page.getByRole('link', { name: 'Back to Draw' }).click();
  await expect(page).toHaveURL(new RegExp(`/draw/${draw.drawNumber}$`));
  await expect.poll(held).toBe(before);
});

test('a cart of two draws of one club is one payment', async ({ page, request }) => {
  const draws = (await listActiveDraws(request)).filter(
    (draw) => draw.ticketsAvailable >= 3 && Date.parse(draw.gameDate) - Date.now() > 1_800_000,
  );
  const club = draws.find(
    (draw) => draws.filter((other) => other.clubSlug === draw.clubSlug).length >= 2,
  )?.clubSlug;
  expect(club, 'a club with two draws on sale').toBeDefined();
  await page.goto(`/club/${club}`);
  await page
    .getByRole('button', { name: /^Add to cart/ })
    .first()
    .click();
  await expect(page.getByRole('dialog', { name: 'Your cart' })).toContainText(
    'Secure checkout with 60-second reservation',
  );
  await page.keyboard.press('Escape');
  await page
    .getByRole('button', { name: /^Add to cart/ })
    .first()
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'One more' }).first().click();
  await page.getByRole('button', { name: 'Checkout', exact: true }).click();
  await expect(page).toHaveURL(/\/cart\/checkout$/);
  await expect(page.locator('.timer-bar [role=timer]')).toHaveText(
    /Tickets reserved for [12]:\d\d/,
  );
  await page.getByLabel('I confirm that I am 18 years or older').check();
  await page.getByLabel(/I accept the/).check();
  await fillDetails(page, newBuyer());
  await fillCard(page, GOOD_CARD);
  await payButton(page).click();
  await expectTickets(page, 3);
  await expect(page.locator('.ticket-lines')).toHaveCount(2);
  await expect(page.getByRole('button', { name: /^Cart,/ })).toBeHidden();
});

test('a payment without tickets waits on the thank-you page and never charges twice', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 4);
  const before = await fetchListedDraw(request, draw.drawNumber);
  await page.routeWebSocket(/\/ws/, (socket) => void socket.close());
  await page.goto(`/draw/${draw.drawNumber}`);
  await page.getByLabel('I confirm that I am over 18 years of age').check();
  await page.getByLabel(/I accept the/).check();
  await fillDetails(page, newBuyer());
  await fillCard(page, GOOD_CARD);
  // Blocks the completing call and the polling of the order. Sockets are closed already, so the page
  // cannot learn the order's outcome.
  await page.route(/\/api\/(complete-card-payment|orders\/)/, (route) => route.abort());
  await payButton(page).click();
  // The payment is authorised. The page says so, and two seconds later opens the thank-you page,
  // which has no tickets yet.
  await expect(page.getByRole('heading', { name: 'Your payment went through' })).toBeVisible();
  await expect(payButton(page)).toHaveCount(0);
  page.on('dialog', (dialog) => void dialog.accept());
  await expect(page).toHaveURL(/\/thank-you$/);
  await expect(page.locator('.thanks-head')).toContainText('Your tickets are being issued');
  await expect(page.locator('.ticket')).toHaveCount(0);
  await page.unrouteAll();
  await page.reload();
  await expectTickets(page, 1);
  expect((await fetchListedDraw(request, draw.drawNumber)).ticketsSold).toBe(
    before.ticketsSold + 1,
  );
});

test('a reload during a payment requests the payment’s outcome', async ({ page, request }) => {
  // The provider's script tries a failed request up to four times before it reports an error.
  test.setTimeout(90_000);
  const draw = await findDrawWithTickets(request, 4);
  const before = await fetchListedDraw(request, draw.drawNumber);
  await page.routeWebSocket(/\/ws/, (socket) => void socket.close());
  await page.goto(`/draw/${draw.drawNumber}`);
  // The form alone holds the ticket count, so reloading the page loses the count.
  await page.getByRole('button', { name: 'One more' }).click();
  await tickConsentBoxes(page);
  await fillDetails(page, newBuyer());
  await fillCard(page, GOOD_CARD);
  // The provider confirms the payment, but this page receives neither the response nor the order's
  // status.
  await page.route(/\/sandbox\/stripe\/v1\/payment_intents\/[^/]+\/confirm/, async (route) => {
    await route.fetch();
    await page.route(/\/sandbox\/stripe\/v1\/payment_intents\//, (other) => other.abort());
    await route.abort();
  });
  await page.route(/\/api\/(complete-card-payment|orders\/)/, (route) => route.abort());
  await payButton(page).click();
  await expect(page.getByRole('heading', { name: 'We are confirming your payment' })).toBeVisible({
    timeout: 40_000,
  });
  await expect(payButton(page)).toHaveCount(0);
  page.on('dialog', (dialog) => void dialog.accept());
  await page.unrouteAll();
  await page.reload();
  await expectTickets(page, 2);
  await expect(page.locator('.thanks-head')).toContainText('2 tickets bought');
  expect((await fetchListedDraw(request, draw.drawNumber)).ticketsSold).toBe(
    before.ticketsSold + 2,
  );
});

test('a lost answer of our server does not lose the tickets, because the webhook issues them', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 4);
  await page.route('**/api/complete-card-payment', (route) => route.abort());
  await page.goto(`/draw/${draw.drawNumber}`);
  await page.getByLabel('I confirm that I am over 18 years of age').check();
  await page.getByLabel(/I accept the/).check();
  await fillDetails(page, newBuyer());
  await fillCard(page, GOOD_CARD);
  await payButton(page).click();
  await expectTickets(page, 1);
});

test('with the socket blocked, the board polls and shows the age of its data', async ({
  page,
  request,
  playwright,
  baseURL,
}) => {
  const draw = await findDrawWithTickets(request, 4);
  await page.routeWebSocket(/\/ws/, (socket) => void socket.close());
  await page.clock.install();
  await page.goto(`/draw/${draw.drawNumber}/display`);
  const before = await fetchListedDraw(request, draw.drawNumber);
  await expect(page.locator('.board-stats .num').first()).toHaveText(`${before.ticketsSold} / 169`);
  const crowd = await playwright.request.newContext({ baseURL });
  await buyThroughApi(crowd, baseURL ?? '', draw.drawNumber, 1);
  await crowd.dispose();
  await page.clock.fastForward(16_000);
  await expect(page.locator('.board-stats .num').first()).toHaveText(
    `${before.ticketsSold + 1} / 169`,
  );
});
