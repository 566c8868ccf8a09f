import { expect, test, type Page } from '@playwright/test';
import {
  GOOD_CARD,
  buyByCard,
  expectTickets,
  fillCard,
  fillDetails,
  payButton,
  newBuyer,
} from '../support/buyer';
import { fetchListedDraw, findDrawWithTickets, type ListedDraw } from '../support/draws';
import { openCartCheckout } from '../support/shop-states';

/**
 * The full Chromium browser. These tests need its back/forward cache, which Playwright disables by
 * default and Chromium's headless shell lacks.
 */
const CHROMIUM_PATH = process.env.CHROMIUM_WHOLE ?? process.env.CHROMIUM ?? '/usr/bin/chromium';
test.use({
  launchOptions: {
    executablePath: CHROMIUM_PATH,
    args: ['--no-sandbox'],
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  },
});

/** Records each later call that opens a payment, on any page of this browser context. */
function recordPaymentRequests(page: Page): string[] {
  const paymentRequests: string[] = [];
  page.context().on('request', (call) => {
    if (/\/api\/(cart\/)?create-payment-intent$/.test(call.url())) paymentRequests.push(call.url());
  });
  return paymentRequests;
}

/**
 * Milliseconds to wait for a payment that must not be opened. A checkout reserves tickets
 * automatically after half a second.
 */
const AUTO_RESERVE_WAIT_MS = 1_500;

async function expectNoPaymentOpened(page: Page, paymentRequests: string[]): Promise<void> {
  await page.waitForTimeout(AUTO_RESERVE_WAIT_MS);
  expect(paymentRequests, 'no payment was opened').toEqual([]);
  await expect(page.getByLabel('Card number')).toHaveCount(0);
}

const FINISHED_HEADING = { name: 'You have your tickets' };

async function fillCheckout(page: Page, draw: ListedDraw, count: number): Promise<void> {
  await page.goto(`/checkout/${draw.drawNumber}?tickets=${count}`);
  await fillDetails(page, newBuyer());
  await page.getByLabel('I am over 18 years old').check();
  await page.getByLabel(/I accept the/).check();
  await page.getByRole('button', { name: 'Continue to Payment' }).click();
  await fillCard(page, GOOD_CARD);
}

async function buyAtCheckout(page: Page, draw: ListedDraw, count: number): Promise<void> {
  await fillCheckout(page, draw, count);
  await payButton(page).click();
  await expectTickets(page, count);
}

test('back from the thank-you page the checkout says that it is finished, until the buyer starts again', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 5);
  await buyAtCheckout(page, draw, 2);
  const paymentRequests = recordPaymentRequests(page);
  await page.goBack();
  await expect(page).toHaveURL(/\/checkout\//);
  await expect(page.getByRole('heading', FINISHED_HEADING)).toBeVisible();
  await expectNoPaymentOpened(page, paymentRequests);
  await page.reload();
  await expect(page.getByRole('heading', FINISHED_HEADING)).toBeVisible();
  await expectNoPaymentOpened(page, paymentRequests);
  await page.getByRole('link', { name: 'Show my tickets' }).click();
  await expect(page.locator('.ticket')).toHaveCount(2);
  await page.goBack();
  await page.getByRole('button', { name: 'Buy more tickets' }).click();
  await expect(page.locator('.timer-bar [role=timer]')).toHaveText(
    /Tickets reserved for [12]:\d\d/,
  );
  expect(paymentRequests).toHaveLength(1);
});

test('back from the thank-you page a draw shows an empty form and opens no payment', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 3);
  await buyByCard(page, draw.drawNumber, 1, newBuyer());
  await expectTickets(page, 1);
  const paymentRequests = recordPaymentRequests(page);
  await page.goBack();
  await expect(page.getByLabel('Full Name')).toHaveValue('');
  await page.waitForTimeout(AUTO_RESERVE_WAIT_MS);
  expect(paymentRequests, 'no payment was opened').toEqual([]);
});

test('back from the thank-you page the cart’s checkout says that it is finished', async ({
  page,
  request,
}) => {
  await openCartCheckout(page, request);
  await page.getByLabel('I confirm that I am 18 years or older').check();
  await page.getByLabel(/I accept the/).check();
  await fillDetails(page, newBuyer());
  await fillCard(page, GOOD_CARD);
  await payButton(page).click();
  await expectTickets(page, 2);
  const paymentRequests = recordPaymentRequests(page);
  await page.goBack();
  await expect(page.getByRole('heading', FINISHED_HEADING)).toBeVisible();
  await expectNoPaymentOpened(page, paymentRequests);
  await expect(page).toHaveURL(/\/cart\/checkout$/);
});

test('a tab duplicated after a purchase shows the finished purchase too', async ({
  page,
  request,
  context,
}) => {
  const draw = await findDrawWithTickets(request, 5);
  await buyAtCheckout(page, draw, 2);
  const before = await fetchListedDraw(request, draw.drawNumber);
  const paymentRequests = recordPaymentRequests(page);
  // A page that another page opens gets a copy of its session storage, as a duplicated tab does.
  const openSecondTab = async (path: string) => {
    const [secondTab] = await Promise.all([
      context.waitForEvent('page'),
      page.evaluate((to) => void window.open(to), path),
    ]);
    return secondTab;
  };
  const thanks = await openSecondTab('/thank-you');
  await expectTickets(thanks, 2);
  const otherTab = await openSecondTab(`/checkout/${draw.drawNumber}?tickets=2`);
  await expect(otherTab.getByRole('heading', FINISHED_HEADING)).toBeVisible();
  await expectNoPaymentOpened(otherTab, paymentRequests);
  expect((await fetchListedDraw(request, draw.drawNumber)).ticketsSold).toBe(before.ticketsSold);
});

/** Whether this page was restored from the back/forward cache instead of loaded again. */
const wasRestoredFromCache = (page: Page) =>
  page.evaluate(() => (window as { kept?: boolean }).kept === true);

const recordCacheRestores = (page: Page) =>
  page.addInitScript(() =>
    window.addEventListener('pageshow', ({ persisted }) =>
      Object.assign(window, { kept: persisted }),
    ),
  );

test('a thank-you page from the back/forward cache shows the tickets and opens no payment', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 5);
  await recordCacheRestores(page);
  await buyAtCheckout(page, draw, 2);
  const paymentRequests = recordPaymentRequests(page);
  await page.goto('/');
  await page.goBack({ waitUntil: 'commit' });
  await expectTickets(page, 2);
  await expect.poll(() => wasRestoredFromCache(page)).toBe(true);
  await page.waitForTimeout(AUTO_RESERVE_WAIT_MS);
  expect(paymentRequests, 'no payment was opened').toEqual([]);
});

for (const [what, path, arrive] of [
  [
    'draw',
    (draw: ListedDraw) => `/draw/${draw.drawNumber}`,
    (page: Page, draw: ListedDraw) => buyByCard(page, draw.drawNumber, 1, newBuyer()),
  ],
  [
    'checkout',
    (draw: ListedDraw) => `/checkout/${draw.drawNumber}`,
    async (page: Page, draw: ListedDraw) => {
      await fillCheckout(page, draw, 1);
      await payButton(page).click();
    },
  ],
] as const) {
  test(`a ${what} from the back/forward cache, left for the bank’s page during a payment, pays only once`, async ({
    page,
    request,
  }) => {
    const draw = await findDrawWithTickets(request, 3);
    const before = await fetchListedDraw(request, draw.drawNumber);
    await recordCacheRestores(page);
    // Simulates a redirect to the bank: the provider confirms the payment, but this page gets no
    // response. The test then opens the thank-you page as the bank's redirect does.
    const gone = new Promise<void>((taken) => {
      void page.route(/\/sandbox\/stripe\/v1\/payment_intents\/[^/]+\/confirm/, async (route) => {
        await route.fetch();
        taken();
      });
    });
    page.on('dialog', (dialog) => void dialog.accept());
    await arrive(page, draw);
    await gone;
    const paymentRequests = recordPaymentRequests(page);
    await page.goto(
      '/thank-you?payment_intent=pi_1&payment_intent_client_secret=pi_1_secret_2&redirect_status=succeeded',
    );
    await expectTickets(page, 1);
    await page.goBack({ waitUntil: 'commit' });
    await expect(page).toHaveURL(new RegExp(path(draw)));
    await expect.poll(() => wasRestoredFromCache(page)).toBe(true);
    if (what === 'checkout')
      await expect(page.getByRole('heading', FINISHED_HEADING)).toBeVisible();
    else await expect(page.getByLabel('Full Name')).toHaveValue('');
    await page.waitForTimeout(AUTO_RESERVE_WAIT_MS);
    expect(paymentRequests, 'no payment was opened').toEqual([]);
    expect((await fetchListedDraw(request, draw.drawNumber)).ticketsSold).toBe(
      before.ticketsSold + 1,
    );
  });
}
