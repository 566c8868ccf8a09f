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
import { drawNow, drawWithAvailable, type ListedDraw } from '../support/draws';
import { toCartCheckout } from '../support/shop-states';

/**
 * After a purchase, the back button, a duplicated tab and a page from the back/forward cache show
 * a finished purchase and open no second payment. Playwright disables the back/forward cache, so
 * this test enables it in the full browser, because Chromium's headless shell has no such cache. A
 * page from that cache does not load again, so the test waits only for the navigation.
 */
const whole = process.env.CHROMIUM_WHOLE ?? process.env.CHROMIUM ?? '/usr/bin/chromium';
test.use({
  launchOptions: {
    executablePath: whole,
    args: ['--no-sandbox'],
    ignoreDefaultArgs: ['--disable-back-forward-cache'],
  },
});

/** Records every later API call that would open a payment, on any page of the browser. */
function opening(page: Page): string[] {
  const paymentRequests: string[] = [];
  page.context().on('request', (call) => {
    if (/\/api\/(cart\/)?create-payment-intent$/.test(call.url())) paymentRequests.push(call.url());
  });
  return paymentRequests;
}

/**
 * Longer than the half second after which a checkout reserves tickets automatically. In
 * milliseconds.
 */
const RESERVED_BY_THEN_MS = 1_500;

async function expectNonePaid(page: Page, paymentRequests: string[]): Promise<void> {
  await page.waitForTimeout(RESERVED_BY_THEN_MS);
  expect(paymentRequests, 'no payment was opened').toEqual([]);
  await expect(page.getByLabel('Card number')).toHaveCount(0);
}

const DONE = { name: 'You have your tickets' };

async function toCheckout(page: Page, draw: ListedDraw, count: number): Promise<void> {
  await page.goto(`/checkout/${draw.drawNumber}?tickets=${count}`);
  await fillDetails(page, newBuyer());
  await page.getByLabel('I am over 18 years old').check();
  await page.getByLabel(/I accept the/).check();
  await page.getByRole('button', { name: 'Continue to Payment' }).click();
  await fillCard(page, GOOD_CARD);
}

async function buyAtCheckout(page: Page, draw: ListedDraw, count: number): Promise<void> {
  await toCheckout(page, draw, count);
  await payButton(page).click();
  await expectTickets(page, count);
}

test('back from the thank-you page the checkout says that it is finished, until the buyer starts again', async ({
  page,
  request,
}) => {
  const draw = await drawWithAvailable(request, 5);
  await buyAtCheckout(page, draw, 2);
  const paymentRequests = opening(page);
  await page.goBack();
  await expect(page).toHaveURL(/\/checkout\//);
  await expect(page.getByRole('heading', DONE)).toBeVisible();
  await expectNonePaid(page, paymentRequests);
  await page.reload();
  await expect(page.getByRole('heading', DONE)).toBeVisible();
  await expectNonePaid(page, paymentRequests);
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
  const draw = await drawWithAvailable(request, 3);
  await buyByCard(page, draw.drawNumber, 1, newBuyer());
  await expectTickets(page, 1);
  const paymentRequests = opening(page);
  await page.goBack();
  await expect(page.getByLabel('Full Name')).toHaveValue('');
  await page.waitForTimeout(RESERVED_BY_THEN_MS);
  expect(paymentRequests, 'no payment was opened').toEqual([]);
});

test('back from the thank-you page the cart’s checkout says that it is finished', async ({
  page,
  request,
}) => {
  await toCartCheckout(page, request);
  await page.getByLabel('I confirm that I am 18 years or older').check();
  await page.getByLabel(/I accept the/).check();
  await fillDetails(page, newBuyer());
  await fillCard(page, GOOD_CARD);
  await payButton(page).click();
  await expectTickets(page, 2);
  const paymentRequests = opening(page);
  await page.goBack();
  await expect(page.getByRole('heading', DONE)).toBeVisible();
  await expectNonePaid(page, paymentRequests);
  await expect(page).toHaveURL(/\/cart\/checkout$/);
});

test('a tab duplicated after a purchase shows the finished purchase too', async ({
  page,
  request,
  context,
}) => {
  const draw = await drawWithAvailable(request, 5);
  await buyAtCheckout(page, draw, 2);
  const before = await drawNow(request, draw.drawNumber);
  const paymentRequests = opening(page);
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
  await expect(otherTab.getByRole('heading', DONE)).toBeVisible();
  await expectNonePaid(otherTab, paymentRequests);
  expect((await drawNow(request, draw.drawNumber)).ticketsSold).toBe(before.ticketsSold);
});

/** Whether this page was restored from the back/forward cache instead of loaded again. */
const wasKept = (page: Page) => page.evaluate(() => (window as { kept?: boolean }).kept === true);

const noteKept = (page: Page) =>
  page.addInitScript(() =>
    window.addEventListener('pageshow', ({ persisted }) =>
      Object.assign(window, { kept: persisted }),
    ),
  );

test('a thank-you page from the back/forward cache shows the tickets and opens no payment', async ({
  page,
  request,
}) => {
  const draw = await drawWithAvailable(request, 5);
  await noteKept(page);
  await buyAtCheckout(page, draw, 2);
  const paymentRequests = opening(page);
  await page.goto('/');
  await page.goBack({ waitUntil: 'commit' });
  await expectTickets(page, 2);
  await expect.poll(() => wasKept(page)).toBe(true);
  await page.waitForTimeout(RESERVED_BY_THEN_MS);
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
      await toCheckout(page, draw, 1);
      await payButton(page).click();
    },
  ],
] as const) {
  test(`a ${what} from the back/forward cache, left for the bank’s page during a payment, pays only once`, async ({
    page,
    request,
  }) => {
    const draw = await drawWithAvailable(request, 3);
    const before = await drawNow(request, draw.drawNumber);
    await noteKept(page);
    // The provider confirms the payment and redirects to the bank. The bank redirects to the
    // thank-you page.
    const gone = new Promise<void>((taken) => {
      void page.route(/\/sandbox\/stripe\/v1\/payment_intents\/[^/]+\/confirm/, async (route) => {
        await route.fetch();
        taken();
      });
    });
    page.on('dialog', (dialog) => void dialog.accept());
    await arrive(page, draw);
    await gone;
    const paymentRequests = opening(page);
    await page.goto(
      '/thank-you?payment_intent=pi_1&payment_intent_client_secret=pi_1_secret_2&redirect_status=succeeded',
    );
    await expectTickets(page, 1);
    await page.goBack({ waitUntil: 'commit' });
    await expect(page).toHaveURL(new RegExp(path(draw)));
    await expect.poll(() => wasKept(page)).toBe(true);
    if (what === 'checkout') await expect(page.getByRole('heading', DONE)).toBeVisible();
    else await expect(page.getByLabel('Full Name')).toHaveValue('');
    await page.waitForTimeout(RESERVED_BY_THEN_MS);
    expect(paymentRequests, 'no payment was opened').toEqual([]);
    expect((await drawNow(request, draw.drawNumber)).ticketsSold).toBe(before.ticketsSold + 1);
  });
}
