import { expect, test, type APIRequestContext, type Page } from '@playwright/test';
import {
  DECLINED_CARD,
  GOOD_CARD,
  expectTickets,
  fillCard,
  fillDetails,
  payButton,
  newBuyer,
} from '../support/buyer';
import { READ_RETRIES, listActiveDraws } from '../support/draws';
import { createTestDraw } from '../support/own-draw';
import { fillCart, shortenReservation, openCartCheckout } from '../support/shop-states';

const CART_STORAGE_KEY = 'football_doubles_cart';
const cartButton = (page: Page) => page.getByRole('button', { name: /^Cart,/ });
const cartDrawer = (page: Page) => page.getByRole('dialog', { name: 'Your cart' });
const reservationTimer = (page: Page) => page.locator('.timer-bar [role=timer]');

async function readStoredCart(page: Page): Promise<{
  items: { drawId: number; quantity: number; availableTickets: number; clubId: number }[];
} | null> {
  return page.evaluate(
    (key) => JSON.parse(localStorage.getItem(key) ?? 'null') as never,
    CART_STORAGE_KEY,
  );
}

async function readHeldCount(request: APIRequestContext, draw: number): Promise<number> {
  return (
    (await (await request.get(`/api/draws/${draw}`, READ_RETRIES)).json()) as {
      ticketsHeld: number;
    }
  ).ticketsHeld;
}

test('a cart survives reloads and is the same in two tabs', async ({ page, context, request }) => {
  await fillCart(page, request);
  await page.reload();
  await expect(cartButton(page)).toHaveAccessibleName('Cart, 2 tickets');
  const other = await context.newPage();
  await other.goto('/');
  await expect(cartButton(other)).toHaveAccessibleName('Cart, 2 tickets');
  await cartButton(other).click();
  await cartDrawer(other).getByRole('button', { name: 'One more' }).first().click();
  await expect(cartButton(page)).toHaveAccessibleName('Cart, 3 tickets');
  await cartDrawer(other)
    .getByRole('button', { name: /^Remove/ })
    .first()
    .click();
  await cartDrawer(other)
    .getByRole('button', { name: /^Remove/ })
    .first()
    .click();
  await expect(cartButton(page)).toBeHidden();
  expect(await readStoredCart(page)).toBeNull();
});

test('a count stays between one and the tickets left, at most fifty', async ({ page, request }) => {
  await fillCart(page, request);
  const line = cartDrawer(page).locator('.cart-line').first();
  const less = line.getByRole('button', { name: 'One less' });
  const more = line.getByRole('button', { name: 'One more' });
  await expect(less).toHaveAttribute('aria-disabled', 'true');
  // At most 50 tickets of one draw. The cart's limit of 100 is not reached, because the second line
  // of the cart has one ticket.
  const most = Math.min(50, (await readStoredCart(page))?.items[0]?.availableTickets ?? 0);
  const count = line.getByRole('spinbutton');
  await count.focus();
  await page.keyboard.press('End');
  await expect(count).toHaveText(String(most));
  await expect(more).toHaveAttribute('aria-disabled', 'true');
  await more.click({ force: true });
  await expect(count).toHaveText(String(most));
  await expect(cartDrawer(page).getByText('At most 50 tickets of one draw.')).toBeVisible({
    visible: most === 50,
  });
});

test('an item of another club replaces the cart with a message and an undo', async ({
  page,
  request,
}) => {
  await fillCart(page, request);
  const mine = (await readStoredCart(page))?.items[0]?.clubId;
  const other = (await listActiveDraws(request)).find(
    (draw) => (draw as unknown as { clubId: number }).clubId !== mine && draw.ticketsAvailable > 0,
  );
  expect(other, 'a draw of another club').toBeDefined();
  await page.goto(`/club/${other?.clubSlug}`);
  await page
    .getByRole('button', { name: /^Add to cart/ })
    .first()
    .click();
  await expect(page.getByText('Your cart was replaced')).toBeVisible();
  expect((await readStoredCart(page))?.items).toHaveLength(1);
  await page.getByRole('button', { name: 'Undo' }).click();
  expect((await readStoredCart(page))?.items.map((item) => item.clubId)).toEqual([mine, mine]);
});

for (const [what, value] of [
  ['broken', '{"items":[{]'],
  ['of a bad shape', '{"items":[{"drawId":"x"}]}'],
  ['somebody else’s', '[1,2,3]'],
] as const) {
  test(`a saved cart that is ${what} is discarded`, async ({ page }) => {
    await page.addInitScript(([key, text]) => localStorage.setItem(key, text), [
      CART_STORAGE_KEY,
      value,
    ] as const);
    await page.goto('/');
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    await expect(cartButton(page)).toHaveCount(0);
    await page.goto('/cart/checkout');
    await expect(page).toHaveURL(/\/$/);
  });
}

test('availability from an offer and an old price are corrected before tickets are reserved', async ({
  page,
  request,
}) => {
  await fillCart(page, request);
  const cart = await readStoredCart(page);
  await page.evaluate(([key, text]) => localStorage.setItem(key, text), [
    CART_STORAGE_KEY,
    JSON.stringify({
      ...cart,
      items: cart?.items.map((item) => ({ ...item, availableTickets: 9999, ticketPrice: '0.01' })),
    }),
  ] as const);
  await page.goto('/cart/checkout');
  await expect(page.getByText('the ticket price has changed.').first()).toBeVisible();
  await expect(reservationTimer(page)).toBeVisible();
  for (const item of (await readStoredCart(page))?.items ?? [])
    expect(item.availableTickets).toBeLessThanOrEqual(169);
});

test('a closed game is removed with a message, and the other games can be bought', async ({
  page,
  request,
}) => {
  await fillCart(page, request);
  const gone = (await readStoredCart(page))?.items[0]?.drawId;
  await page.route(`**/api/draws/${gone}`, async (route) => {
    const answer = await route.fetch();
    await route.fulfill({
      response: answer,
      json: { ...((await answer.json()) as object), status: 'closed' },
    });
  });
  await page.goto('/cart/checkout');
  await expect(
    page.getByText('can no longer be bought and was taken out of your cart.'),
  ).toBeVisible();
  expect((await readStoredCart(page))?.items).toHaveLength(1);
  await expect(reservationTimer(page)).toBeVisible();
});

test('the server reserves all lines or none, and releases them when the buyer leaves', async ({
  page,
  request,
}) => {
  await fillCart(page, request);
  const draws = ((await readStoredCart(page))?.items ?? []).map((item) => item.drawId);
  const before = await Promise.all(draws.map((draw) => readHeldCount(request, draw)));
  await page.getByRole('button', { name: 'Checkout', exact: true }).click();
  await expect(reservationTimer(page)).toBeVisible();
  expect(await Promise.all(draws.map((draw) => readHeldCount(request, draw)))).toEqual(
    before.map((count) => count + 1),
  );
  await page.getByRole('link', { name: 'Football Doubles' }).first().click();
  await expect
    .poll(() => Promise.all(draws.map((draw) => readHeldCount(request, draw))))
    .toEqual(before);
});

test('thirty seconds before expiry the buyer can extend the reservation by two minutes', async ({
  page,
  request,
}) => {
  await shortenReservation(page, 32);
  await openCartCheckout(page, request);
  await expect(page.getByRole('button', { name: 'Keep my tickets' })).toBeVisible();
  await expect(page.locator('.timer-bar [role=status]')).toHaveText(
    '30 seconds left. You can keep your tickets for longer.',
  );
  await page.getByRole('button', { name: 'Keep my tickets' }).click();
  await expect(reservationTimer(page)).toHaveText(/Tickets reserved for [1-4]:\d\d/);
});

test('a declined card does not shorten an extended reservation', async ({ page, request }) => {
  await shortenReservation(page, 31);
  await openCartCheckout(page, request);
  await page.getByRole('button', { name: 'Keep my tickets' }).click();
  await expect(reservationTimer(page)).toHaveText(/Tickets reserved for [1-4]:\d\d/);
  await page.unrouteAll();
  await page.getByLabel('I confirm that I am 18 years or older').check();
  await page.getByLabel(/I accept the/).check();
  await fillDetails(page, newBuyer());
  await fillCard(page, DECLINED_CARD);
  await payButton(page).click();
  await expect(page.locator('.callout.is-bad')).toContainText('Your card was declined.');
  await expect(reservationTimer(page)).toHaveText(/Tickets reserved for [1-4]:\d\d/);
});

test('a buyer who reserved the last tickets finds them in the cart after a reload', async ({
  page,
  playwright,
  baseURL,
}) => {
  const draw = await createTestDraw(playwright, baseURL ?? '', { left: 2 });
  await page.goto(`/club/${draw.club.slug}`);
  await page
    .locator('article', { hasText: draw.awayTeam })
    .getByRole('button', { name: /^Add to cart/ })
    .click();
  await cartDrawer(page).getByRole('button', { name: 'One more' }).click();
  await page.getByRole('button', { name: 'Checkout', exact: true }).click();
  await expect(reservationTimer(page)).toBeVisible();
  await page.reload();
  await expect(reservationTimer(page)).toBeVisible();
  await expect(page.locator('.cart-summary')).toContainText('2 tickets');
  await expect(page.getByText('was taken out of your cart')).toHaveCount(0);
});

test('an expired reservation empties the cart and opens the club’s page after two seconds', async ({
  page,
  request,
}) => {
  await shortenReservation(page, 3);
  await fillCart(page, request);
  const club = new URL(page.url()).pathname;
  await page.getByRole('button', { name: 'Checkout', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Reservation Expired' })).toBeVisible();
  await expect(page.getByRole('alert')).toContainText('Reservation expired');
  expect(await readStoredCart(page)).toBeNull();
  await expect(page).toHaveURL(new RegExp(`${club}$`));
});

test('the page of an expired reservation has a button that leads to the draws', async ({
  page,
  request,
}) => {
  await shortenReservation(page, 3);
  await fillCart(page, request);
  await page.getByRole('button', { name: 'Checkout', exact: true }).click();
  const button = page.getByRole('main').getByRole('link', { name: 'Find Draws' });
  await expect(page.getByRole('heading', { name: 'Reservation Expired' })).toBeVisible();
  await expect(button).toHaveAttribute('href', '/#live-draws');
  expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await button.click();
  await expect(page).toHaveURL(/\/#live-draws$/);
});

test('an expired reservation does not interrupt a payment that has started', async ({
  page,
  request,
}) => {
  await shortenReservation(page, 60);
  await page.clock.install();
  await openCartCheckout(page, request);
  await page.getByLabel('I confirm that I am 18 years or older').check();
  await page.getByLabel(/I accept the/).check();
  await fillDetails(page, newBuyer());
  await fillCard(page, GOOD_CARD);
  let release: () => void = () => {};
  const waiting = new Promise<void>((resolve) => (release = resolve));
  await page.route('**/api/cart/complete-card-payment', async (route) => {
    await waiting;
    await route.continue();
  });
  await payButton(page).click();
  await expect(page.locator('.timer-bar')).toHaveText('Finishing payment');
  // Advances the browser's clock beyond the time at which the shown reservation ends.
  await page.clock.fastForward(70_000);
  await expect(page.locator('.timer-bar')).toHaveText('Finishing payment');
  release();
  await expectTickets(page, 2);
});

test('the cart’s second address also sells, by wallet and without typing', async ({
  page,
  request,
}) => {
  await fillCart(page, request);
  await page.goto('/cart-checkout-clean');
  await expect(reservationTimer(page)).toBeVisible();
  await page.getByLabel('I confirm that I am 18 years or older').check();
  await page.getByLabel(/I accept the/).check();
  await page.getByRole('button', { name: /Pay with (Apple|Google) Pay/ }).click();
  await page.getByRole('button', { name: 'Confirm payment' }).click();
  await expect(page.getByText('Processing your tickets…').first()).toBeVisible();
  await expectTickets(page, 2);
  await expect(cartButton(page)).toHaveCount(0);
});

test('an empty cart opens the home page after 300 ms', async ({ page }) => {
  await page.clock.install({ time: Date.now() - 60_000 });
  await page.clock.pauseAt(Date.now() - 30_000);
  await page.goto('/cart/checkout');
  await expect(page.getByRole('heading', { name: 'Loading your cart...' })).toBeVisible();
  await page.clock.runFor(250);
  await expect(page).toHaveURL(/\/cart\/checkout$/);
  await page.clock.runFor(100);
  await expect(page).toHaveURL(/\/$/);
});

test('Checkout stays in view below a long cart in the drawer', async ({ page, request }) => {
  await page.setViewportSize({ width: 390, height: 500 });
  await fillCart(page, request);
  const checkout = cartDrawer(page).getByRole('button', { name: 'Checkout', exact: true });
  await expect(checkout).toBeInViewport({ ratio: 1 });
  // Makes the cart longer than the drawer.
  await cartDrawer(page)
    .locator('.cart-lines')
    .evaluate((lines: HTMLElement) => (lines.style.minHeight = '1500px'));
  await expect(checkout).toBeInViewport({ ratio: 1 });
  await cartDrawer(page)
    .locator('.sheet-body')
    .evaluate((body) => body.scrollTo(0, 700));
  await expect(checkout).toBeInViewport({ ratio: 1 });
});

test('on a phone the cart is a bar below the page that covers no button', async ({
  page,
  request,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await fillCart(page, request);
  await page.keyboard.press('Escape');
  const bar = cartButton(page);
  await expect(bar).toContainText('Your cart');
  const box = await bar.boundingBox();
  expect([box?.x, box?.width, (box?.y ?? 0) + (box?.height ?? 0)]).toEqual([0, 390, 844]);
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  const last = page.locator('.site-foot a').last();
  await expect(last).toBeInViewport();
  const bottom = await last.evaluate((link) => link.getBoundingClientRect().bottom);
  expect(bottom).toBeLessThanOrEqual(box?.y ?? 0);
  await bar.click();
  await expect(cartDrawer(page)).toBeVisible();
});
