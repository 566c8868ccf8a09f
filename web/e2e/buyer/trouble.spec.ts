import { expect, test, type Page } from '@playwright/test';
import {
  GOOD_CARD,
  expectTickets,
  fillCard,
  fillDetails,
  payButton,
  newBuyer,
  tickConsentBoxes,
} from '../support/buyer';
import { fetchListedDraw, findDrawWithTickets } from '../support/draws';
import { SHOP_STATES, fillCart } from '../support/shop-states';

/** Expects a specified error message (A:258-286) as a toast and beside the form (decision D12). */
async function expectErrorMessage(page: Page, title: string, text: string): Promise<void> {
  await expect(page.locator('.toast')).toContainText(title);
  await expect(page.locator('.toast')).toContainText(text);
  await expect(page.locator('.toast')).toHaveRole('alert');
  await expect(page.locator('.callout.is-bad')).toContainText(`${title}${text}`);
}

async function openFilledForm(page: Page, drawNumber: number): Promise<void> {
  await page.goto(`/draw/${drawNumber}`);
  await tickConsentBoxes(page);
  await fillDetails(page, newBuyer());
  await fillCard(page, GOOD_CARD);
}

const OPEN_PAYMENT_URL = '**/api/create-payment-intent';

for (const [what, answer, title, text] of [
  ['nobody answers', null, 'Payment Setup Failed', 'Could not set up payment. Please try again.'],
  [
    'the server says nothing',
    { status: 500, body: '' },
    'Payment Setup Failed',
    'Failed to create payment intent',
  ],
  [
    'the server says why',
    { status: 409, json: { message: 'The total has changed.', code: 'amount-changed' } },
    'Payment Setup Failed',
    'The total has changed.',
  ],
] as const) {
  test(`no payment opens when ${what}; the form keeps its input and the next press buys`, async ({
    page,
    request,
  }) => {
    const draw = await findDrawWithTickets(request, 3);
    await openFilledForm(page, draw.drawNumber);
    await page.route(OPEN_PAYMENT_URL, (route) => (answer ? route.fulfill(answer) : route.abort()));
    await payButton(page).click();
    await expectErrorMessage(page, title, text);
    await expect(page.getByLabel('Full Name')).not.toHaveValue('');
    await page.unroute(OPEN_PAYMENT_URL);
    await payButton(page).click();
    await expectTickets(page, 1);
  });
}

test('when others buy first, the message says how many tickets are left and the count gets focus', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 3);
  await openFilledForm(page, draw.drawNumber);
  await page.route(OPEN_PAYMENT_URL, (route) =>
    route.fulfill({
      status: 409,
      json: {
        message:
          'Tickets No Longer Available: Only 2 tickets remaining. Please adjust your selection.',
        code: 'tickets-unavailable',
        available: 2,
      },
    }),
  );
  await payButton(page).click();
  await expectErrorMessage(
    page,
    'Tickets No Longer Available',
    'Only 2 tickets remaining. Please adjust your selection.',
  );
  await expect(page.getByRole('spinbutton')).toBeFocused();
});

test('the server’s check shows what is wrong', async ({ page, request }) => {
  const draw = await findDrawWithTickets(request, 3);
  await openFilledForm(page, draw.drawNumber);
  await page.route('**/api/validate-purchase', (route) =>
    route.fulfill({
      json: {
        valid: false,
        errors: [
          'You must be over 18 to purchase tickets',
          'You must agree to the terms and conditions',
        ],
      },
    }),
  );
  await payButton(page).click();
  await expectErrorMessage(
    page,
    'Purchase Validation Failed',
    'You must be over 18 to purchase tickets',
  );
});

test('without the payment library the page says so, and another press loads it', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 3);
  await page.route('**/sandbox/stripe.js', (route) => route.abort());
  await page.goto(`/draw/${draw.drawNumber}`);
  await tickConsentBoxes(page);
  await fillDetails(page, newBuyer());
  await payButton(page).click();
  await expectErrorMessage(
    page,
    'Payment System Error',
    'Payment system is not ready. Please refresh the page and try again.',
  );
  await page.unroute('**/sandbox/stripe.js');
  await payButton(page).click();
  await fillCard(page, GOOD_CARD);
  await payButton(page).click();
  await expectTickets(page, 1);
});

test('a wallet with a declined card fails in its sheet, and the page shows the decline', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 3);
  const before = await fetchListedDraw(request, draw.drawNumber);
  await page.goto(`/draw/${draw.drawNumber}`);
  await tickConsentBoxes(page);
  await page.getByRole('button', { name: /Pay with (Apple|Google) Pay/ }).click();
  await page
    .getByRole('dialog')
    .getByLabel('Card')
    .selectOption({ label: 'Visa •••• 0002 (declined)' });
  await page.getByRole('button', { name: 'Confirm payment' }).click();
  await expect(page.getByRole('dialog').getByRole('status')).not.toHaveText('Processing…');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await expect(page.locator('.callout.is-bad')).toContainText(
    'Payment failedYour card was declined.',
  );
  expect((await fetchListedDraw(request, draw.drawNumber)).ticketsSold).toBe(before.ticketsSold);
});

test('a wallet on the checkout page pays through the server, shows a decline and accepts another card', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 3);
  await page.goto(`/checkout/${draw.drawNumber}?tickets=1&mode=wallet&wallet=google`);
  await page.getByLabel('I am over 18 years old').check();
  await page.getByLabel(/I accept the/).check();
  const wallet = page.getByRole('button', { name: 'Pay with Google Pay' });
  await wallet.click();
  await page
    .getByRole('dialog')
    .getByLabel('Card')
    .selectOption({ label: 'Visa •••• 0002 (declined)' });
  await page.getByRole('button', { name: 'Confirm payment' }).click();
  await expectErrorMessage(page, 'Payment Failed', 'Your card was declined.');
  await wallet.click();
  await page.getByRole('button', { name: 'Confirm payment' }).click();
  await expect(page.getByText('Processing your tickets…').first()).toBeVisible();
  await expectTickets(page, 1);
});

test('a checkout that cannot open a payment says so, and its card errors have their own texts', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 3);
  await page.route(OPEN_PAYMENT_URL, (route) => route.abort());
  await page.goto(`/checkout/${draw.drawNumber}?tickets=1`);
  await expectErrorMessage(
    page,
    'Payment Setup Error',
    'Unable to initialize payment. Please refresh the page and try again.',
  );
  await page.unroute(OPEN_PAYMENT_URL);
  await page.reload();
  await fillDetails(page, newBuyer());
  await page.getByLabel('I am over 18 years old').check();
  await page.getByLabel(/I accept the/).check();
  await page.getByRole('button', { name: 'Continue to Payment' }).click();
  await fillCard(page, '4000000000000002');
  await payButton(page).click();
  await expectErrorMessage(page, 'Payment Error', 'Your card was declined.');
  await fillCard(page, GOOD_CARD);
  await payButton(page).click();
  await expect(page.locator('.toast')).toContainText(
    "You've purchased 1 ticket(s). Check your email for details.",
  );
  await expectTickets(page, 1);
  expect(
    await page.evaluate(() =>
      ['ticketCount', 'buyerInfo', 'ageConfirmation', 'termsAgreement'].map((key) =>
        localStorage.getItem(key),
      ),
    ),
  ).toEqual([null, null, null, null]);
});

test('an authorised payment whose tickets are gone is not charged, says so and links back', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 3);
  await openFilledForm(page, draw.drawNumber);
  await page.route('**/api/complete-card-payment', (route) =>
    route.fulfill({
      status: 409,
      json: {
        message: 'The tickets were no longer available. You have not been charged.',
        status: 'not_charged',
        code: 'not-charged',
      },
    }),
  );
  await payButton(page).click();
  await expect(page.locator('.buy .panel')).toContainText(
    'The tickets were no longer available. You have not been charged.',
  );
  await expect(page.locator('.toast')).toContainText(
    'There was an error completing your purchase. Please try again.',
  );
  await page.getByRole('button', { name: 'Back to the draw' }).click();
  await expect(payButton(page)).toBeVisible();
});

test('without browser storage the club’s page follows the purchase', async ({ page, request }) => {
  const draw = await findDrawWithTickets(request, 3);
  await page.addInitScript(() => {
    const set = Storage.prototype.setItem;
    Storage.prototype.setItem = function (key: string, value: string) {
      if (key === 'purchaseData') throw new DOMException('full', 'QuotaExceededError');
      set.call(this, key, value);
    };
  });
  await openFilledForm(page, draw.drawNumber);
  await payButton(page).click();
  await expect(page).toHaveURL(new RegExp(`/club/${draw.clubSlug}$`));
  await expect(page.locator('.toast')).toContainText('Purchase Successful');
});

test('the mail can be sent again after twenty seconds, and a failure shows a message', async ({
  page,
}) => {
  await page.clock.install();
  const show = SHOP_STATES.find(({ name }) => name === 'shop-thank-you')?.show;
  await show?.({ page, request: page.request, playwright: undefined as never, baseURL: '' });
  const resend = page.getByRole('button', { name: /^Resend email/ });
  await expect(resend).toHaveAttribute('aria-disabled', 'true');
  await page.route('**/api/resend-confirmation', (route) =>
    route.fulfill({ status: 500, body: '' }),
  );
  await page.clock.fastForward(12_000);
  await expect(resend).toHaveAttribute('aria-disabled', 'true');
  await page.clock.fastForward(9_000);
  await expect(resend).toHaveAttribute('aria-disabled', 'false');
  await resend.click();
  await expect(page.locator('.toast')).toContainText('Resend failed');
  await expect(page.getByText('Resend failed. Please try again later.')).toBeVisible();
  await page.evaluate(() => sessionStorage.removeItem('lastPayment'));
  await page.reload();
  await expect(resend).toHaveAttribute('aria-disabled', 'true');
  await page.clock.fastForward(21_000);
  await expect(resend).toHaveAttribute('aria-disabled', 'false');
  await resend.click();
  await expect(page.locator('.toast')).toContainText(
    'Could not locate your payment reference yet. Please try again shortly.',
  );
});

test('during maintenance typed details stay visible and only the payment is blocked', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 3);
  let on = true;
  await page.clock.install();
  await page.routeWebSocket(/\/ws/, (socket) => void socket.close());
  await page.route('**/api/maintenance-mode', (route) =>
    route.fulfill({ json: { maintenanceMode: on } }),
  );
  await openFilledForm(page, draw.drawNumber);
  await page.clock.fastForward(31_000);
  await expect(page.locator('.buy .callout')).toContainText('System Maintenance in Progress');
  await expect(page.getByLabel('Full Name')).not.toHaveValue('');
  await expect(page.getByLabel('Card number')).not.toHaveValue('');
  await expect(payButton(page)).toHaveCount(0);
  await expect(page.getByRole('button', { name: /Pay with (Apple|Google) Pay/ })).toHaveCount(0);
  on = false;
  await page.clock.fastForward(31_000);
  await payButton(page).click();
  await expectTickets(page, 1);
});

test('during maintenance a cart’s checkout is readable, reserves nothing and continues afterwards', async ({
  page,
  request,
}) => {
  let on = true;
  await page.clock.install();
  await page.routeWebSocket(/\/ws/, (socket) => void socket.close());
  await fillCart(page, request);
  await page.route('**/api/maintenance-mode', (route) =>
    route.fulfill({ json: { maintenanceMode: on } }),
  );
  await page.clock.fastForward(31_000);
  let asked = 0;
  page.on(
    'request',
    (call) => (asked += call.url().endsWith('/api/cart/create-payment-intent') ? 1 : 0),
  );
  await page.getByRole('button', { name: 'Checkout', exact: true }).click();
  await expect(page.getByLabel('Full Name')).toBeVisible();
  await expect(page.locator('form .callout')).toContainText('System Maintenance in Progress');
  await page.clock.fastForward(5_000);
  expect(asked).toBe(0);
  on = false;
  await page.clock.fastForward(31_000);
  await expect(page.locator('.timer-bar [role=timer]')).toBeVisible();
});

test('an invalid count in the address becomes one ticket, and a large one the most that is left', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 3);
  for (const path of [
    `/draw/${draw.drawNumber}?quantity=`,
    `/checkout/${draw.drawNumber}?tickets=`,
  ]) {
    await page.goto(`${path}51`);
    const count = page.getByRole('spinbutton');
    await expect(count).toHaveText((await count.getAttribute('aria-valuemax')) ?? '');
    expect(Number(await count.textContent())).toBeGreaterThanOrEqual(3);
  }
  for (const said of ['0', '-1', '1e9', '2.5', 'ten', '%00', '9'.repeat(400)]) {
    await page.goto(`/draw/${draw.drawNumber}?quantity=${said}`);
    await expect(page.getByRole('spinbutton'), said).toHaveText('1');
    await page.goto(`/checkout/${draw.drawNumber}?tickets=${said}`);
    await expect(page.getByRole('spinbutton'), said).toHaveText('1');
  }
});

test('invalid addresses show Not Found with status 404', async ({ page }) => {
  for (const path of [
    '/draw/0',
    '/draw/-1',
    '/draw/abc',
    '/draw/1e9',
    '/checkout/999999',
    '/checkout/abc',
    '/checkout',
    '/checkout?drawId=abc',
  ]) {
    const answer = await page.goto(path);
    expect(answer?.status(), path).toBe(404);
    await expect(page.getByRole('heading', { level: 1 }), path).toHaveText(/Not Found/);
  }
});

test('a payment library that refuses its options says so in place and is reported', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 1);
  // Passes an option that the library does not know, as an outdated page would.
  await page.route('**/sandbox/stripe.js', async (route) => {
    const answer = await route.fetch();
    const outdated = `(function (create) {
      window.Stripe = function () {
        var library = create.apply(null, arguments);
        var elements = library.elements;
        library.elements = function (options) {
          return elements(Object.assign({ paymentMethodTypes: ['card'] }, options));
        };
        return library;
      };
      window.Stripe.version = create.version;
    })(window.Stripe);`;
    await route.fulfill({ response: answer, body: (await answer.text()) + outdated });
  });
  const reported = page.waitForRequest('**/api/debug-log');
  await page.goto(`/draw/${draw.drawNumber}`);
  await expect(page.getByRole('alert')).toContainText('The card form could not be shown');
  expect((await reported).postDataJSON()).toMatchObject({
    data: { message: expect.stringContaining('paymentMethodTypes') as unknown },
    stripeJsStep: 'elements',
  });
  await expect(page.getByRole('button', { name: 'Reload Page' })).toBeVisible();
  await expect(page.getByLabel('Full Name')).toBeVisible();
});

test('a press on the pay button that leaves a bad card field is not lost', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 1);
  await page.setViewportSize({ width: 390, height: 1600 });
  await page.goto(`/draw/${draw.drawNumber}`);
  await page.getByLabel('Card number').fill('4242');
  await page.getByLabel('Expiry date').fill('11');
  await page.getByLabel('Full Name').focus();
  const bottom = async () => (await page.locator('.card-field').boundingBox())?.height;
  const before = await bottom();
  await page.getByLabel('Security code').fill('1');
  // The button goes down where the pay button is, which leaves the field, and up at the same place.
  const pay = await payButton(page).boundingBox();
  await page.mouse.click((pay?.x ?? 0) + (pay?.width ?? 0) / 2, (pay?.y ?? 0) + 5);
  expect(await bottom()).toBe(before);
  await expect(page.getByRole('group', { name: 'There is a problem' })).toBeVisible();
});
