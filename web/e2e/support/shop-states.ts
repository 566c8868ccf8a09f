/**
 * Every state of the pages on which a buyer buys, with the steps that reach it. Used for
 * screenshots and for the accessibility and size checks.
 */
import {
  expect,
  type APIRequestContext,
  type Page,
  type PlaywrightWorkerArgs,
} from '@playwright/test';
import {
  THREE_D_SECURE_CARD,
  DECLINED_CARD,
  buyByCard,
  expectTickets,
  fillDetails,
  payButton,
  newBuyer,
  tickConsentBoxes,
} from './buyer';
import { findClubWithTwoDraws, findDrawWithTickets } from './draws';

export interface ScreenContext {
  page: Page;
  request: APIRequestContext;
  playwright: PlaywrightWorkerArgs['playwright'];
  baseURL: string;
}

export interface ShopState {
  name: string;
  show: (stage: ScreenContext) => Promise<void>;
}

/**
 * Makes reservations end after `seconds` on the page. Changes `expiresAt` in the server's answer
 * that opens a payment.
 */
export async function shortenReservation(page: Page, seconds: number): Promise<void> {
  await page.route(/\/api\/(cart\/)?create-payment-intent/, async (route) => {
    const answer = await route.fetch();
    const said = (await answer.json()) as { serverTime: string; expiresAt?: string };
    if (said.expiresAt)
      said.expiresAt = new Date(Date.parse(said.serverTime) + seconds * 1000).toISOString();
    await route.fulfill({ response: answer, json: said });
  });
}

export async function fillCart(page: Page, request: APIRequestContext): Promise<void> {
  await page.goto(`/club/${await findClubWithTwoDraws(request)}`);
  await page
    .getByRole('button', { name: /^Add to cart/ })
    .first()
    .click();
  await expect(page.getByRole('dialog', { name: 'Your cart' })).toBeVisible();
  await page.keyboard.press('Escape');
  await page
    .getByRole('button', { name: /^Add to cart/ })
    .first()
    .click();
  await expect(page.getByRole('dialog', { name: 'Your cart' }).locator('.cart-line')).toHaveCount(
    2,
  );
}

export async function openCartCheckout(page: Page, request: APIRequestContext): Promise<void> {
  await fillCart(page, request);
  await page.getByRole('button', { name: 'Checkout', exact: true }).click();
  await expect(page.locator('.timer-bar')).toContainText(/\d:\d\d/);
}

/** Opens a page with server answers that say that maintenance is in progress. */
async function openInMaintenance(page: Page, path: string): Promise<void> {
  await page.route('**/api/maintenance-mode', (route) =>
    route.fulfill({ json: { maintenanceMode: true } }),
  );
  await page.routeWebSocket(/\/ws/, (socket) => void socket.close());
  await page.route(
    (url) => url.pathname === path,
    async (route) => {
      const answer = await route.fetch();
      await route.fulfill({
        response: answer,
        body: (await answer.text()).replace('"maintenanceMode":false', '"maintenanceMode":true'),
      });
    },
  );
  await page.goto(path);
  await expect(page.getByText('System Maintenance in Progress').first()).toBeVisible();
}

/** Buys a ticket, and shows the thank-you page with changed fields of the order. */
async function openThankYouWithChangedOrder(
  stage: ScreenContext,
  more: Record<string, unknown>,
): Promise<void> {
  const { page, request } = stage;
  const draw = await findDrawWithTickets(request, 3);
  await buyByCard(page, draw.drawNumber, 1, newBuyer());
  await expectTickets(page, 1);
  await page.routeWebSocket(/\/ws/, (socket) => void socket.close());
  await page.route('**/api/complete-card-payment', (route) =>
    route.fulfill({ json: { success: false, status: 'processing', tickets: [] } }),
  );
  await page.route('**/api/orders/*', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({
      response: answer,
      json: { ...((await answer.json()) as object), ...more },
    });
  });
  await page.reload();
}

/** Shows the page that the link in a mail opens, with two orders, one of them refunded. */
async function openMailedOrderLink({ page, request }: ScreenContext): Promise<void> {
  const draw = await findDrawWithTickets(request, 4);
  await buyByCard(page, draw.drawNumber, 2, newBuyer());
  await expectTickets(page, 2);
  const { orderToken } = await page.evaluate(
    () => JSON.parse(sessionStorage.getItem('lastPayment') ?? '{}') as { orderToken: string },
  );
  const order = (await (await page.request.get(`/api/orders/${orderToken}`)).json()) as object;
  await page.route('**/api/my-tickets/look', (route) =>
    route.fulfill({
      json: {
        emailMasked: 'r…@example.com',
        until: new Date(Date.now() + 86_000_000).toISOString(),
        orders: [order, { ...order, orderToken: 'another', status: 'refunded' }],
      },
    }),
  );
  await page.goto(`/my#${'ab'.repeat(32)}`);
  await expect(page.locator('.own-order')).toHaveCount(2);
}

async function openLockedCheckout({ page, request }: ScreenContext): Promise<void> {
  const draw = await findDrawWithTickets(request, 3);
  await page.goto(`/checkout/${draw.drawNumber}?tickets=2`);
  await fillDetails(page, newBuyer());
  await page.getByLabel('I am over 18 years old').check();
  await page.getByLabel(/I accept the/).check();
  await page.getByRole('button', { name: 'Continue to Payment' }).click();
  await expect(page.getByLabel('Card number')).toBeVisible();
}

export const SHOP_STATES: readonly ShopState[] = [
  {
    name: 'shop-draw',
    show: async ({ page, request }) => {
      await page.goto(`/draw/${(await findDrawWithTickets(request, 5)).drawNumber}?quantity=2`);
      await expect(page.getByLabel('Card number')).toBeVisible();
    },
  },
  {
    name: 'shop-draw-unconfirmed',
    show: async ({ page, request }) => {
      await page.goto(`/draw/${(await findDrawWithTickets(request, 5)).drawNumber}`);
      await page.getByRole('button', { name: /Pay with (Apple|Google) Pay/ }).click();
      await expect(page.locator('.callout.is-bad')).toContainText(
        'Please confirm your age and accept the terms before proceeding.',
      );
    },
  },
  {
    name: 'shop-draw-problems',
    show: async ({ page, request }) => {
      await page.goto(`/draw/${(await findDrawWithTickets(request, 5)).drawNumber}`);
      await expect(page.getByLabel('Card number')).toBeVisible();
      await payButton(page).click({ force: true });
      await expect(page.locator('.problems')).toBeFocused();
    },
  },
  {
    name: 'shop-draw-declined',
    show: async ({ page, request }) => {
      await buyByCard(
        page,
        (await findDrawWithTickets(request, 3)).drawNumber,
        1,
        newBuyer(),
        DECLINED_CARD,
      );
      await expect(page.locator('.callout.is-bad')).toContainText('Your card was declined.');
    },
  },
  {
    name: 'shop-draw-bank',
    show: async ({ page, request }) => {
      await buyByCard(
        page,
        (await findDrawWithTickets(request, 3)).drawNumber,
        1,
        newBuyer(),
        THREE_D_SECURE_CARD,
      );
      await expect(page.getByRole('button', { name: 'Complete', exact: true })).toBeVisible();
    },
  },
  {
    name: 'shop-draw-maintenance',
    show: async ({ page, request }) =>
      openInMaintenance(page, `/draw/${(await findDrawWithTickets(request, 3)).drawNumber}`),
  },
  {
    name: 'shop-draw-wallet-sheet',
    show: async ({ page, request }) => {
      await page.goto(`/draw/${(await findDrawWithTickets(request, 3)).drawNumber}`);
      await tickConsentBoxes(page);
      await page.getByRole('button', { name: /Pay with (Apple|Google) Pay/ }).click();
      await expect(page.getByRole('button', { name: 'Confirm payment' })).toBeVisible();
    },
  },
  {
    name: 'shop-checkout',
    show: async ({ page, request }) => {
      await page.goto(`/checkout/${(await findDrawWithTickets(request, 3)).drawNumber}?tickets=2`);
      await expect(page.locator('.timer-bar')).toContainText(/\d:\d\d/);
    },
  },
  { name: 'shop-checkout-locked', show: openLockedCheckout },
  {
    name: 'shop-checkout-incomplete',
    show: async (stage) => {
      await openLockedCheckout(stage);
      await payButton(stage.page).click();
      await expect(stage.page.locator('.callout.is-bad')).toContainText(
        'Incomplete Payment Details',
      );
    },
  },
  {
    name: 'shop-checkout-wallet',
    show: async ({ page, request }) => {
      await page.goto(
        `/checkout/${(await findDrawWithTickets(request, 3)).drawNumber}?tickets=2&mode=wallet&wallet=google`,
      );
      await expect(page.locator('.timer-bar')).toContainText(/\d:\d\d/);
    },
  },
  {
    name: 'shop-checkout-no-apple-pay',
    show: async ({ page, request }) => {
      await page.goto(
        `/checkout/${(await findDrawWithTickets(request, 3)).drawNumber}?tickets=2&mode=wallet&wallet=apple`,
      );
      await expect(page.locator('.callout.is-bad')).toContainText(
        'Apple Pay is not available on this device. Please use card payment.',
      );
    },
  },
  {
    name: 'shop-checkout-lapsed',
    show: async ({ page, request }) => {
      await shortenReservation(page, 2);
      await page.goto(`/checkout/${(await findDrawWithTickets(request, 3)).drawNumber}?tickets=2`);
      await expect(page.getByText('Your tickets are no longer reserved.')).toBeVisible();
    },
  },
  {
    name: 'shop-checkout-finished',
    show: async ({ page, request }) => {
      const { drawNumber } = await findDrawWithTickets(request, 3);
      await page.goto(`/draw/${drawNumber}`);
      await page.evaluate(
        (scope) => sessionStorage.setItem(`fd_finished:${scope}`, '"0123"'),
        `draw:${drawNumber}`,
      );
      await page.goto(`/checkout/${drawNumber}?tickets=2`);
      await expect(page.getByRole('heading', { name: 'You have your tickets' })).toBeVisible();
    },
  },
  {
    name: 'shop-checkout-not-found',
    show: async ({ page }) => {
      await page.goto('/checkout/999999');
      await expect(page.getByRole('link', { name: 'Return Home' })).toBeVisible();
    },
  },
  { name: 'shop-cart-drawer', show: async ({ page, request }) => fillCart(page, request) },
  { name: 'shop-cart', show: async ({ page, request }) => openCartCheckout(page, request) },
  {
    name: 'shop-cart-maintenance',
    show: async ({ page, request }) => {
      await fillCart(page, request);
      await openInMaintenance(page, '/cart/checkout');
      await expect(page.getByLabel('Full Name')).toBeVisible();
    },
  },
  {
    name: 'shop-cart-problems',
    show: async ({ page, request }) => {
      await openCartCheckout(page, request);
      await payButton(page).click({ force: true });
      await expect(page.locator('.problems')).toBeFocused();
    },
  },
  {
    name: 'shop-cart-short',
    show: async ({ page, request }) => {
      await shortenReservation(page, 28);
      await openCartCheckout(page, request);
      await expect(page.getByRole('button', { name: 'Keep my tickets' })).toBeVisible();
    },
  },
  {
    name: 'shop-cart-help',
    show: async ({ page, request }) => {
      await openCartCheckout(page, request);
      await page.getByRole('button', { name: 'Need Help?' }).click();
      await expect(page.getByRole('dialog', { name: 'Need Help?' })).toBeVisible();
    },
  },
  {
    name: 'shop-cart-terms',
    show: async ({ page, request }) => {
      await openCartCheckout(page, request);
      await page.getByRole('button', { name: 'Terms of Sale' }).click();
      await expect(page.getByRole('dialog', { name: 'Terms of Sale' })).toBeVisible();
    },
  },
  {
    name: 'shop-cart-expired',
    show: async ({ page, request }) => {
      await shortenReservation(page, 2);
      // The page leaves two seconds after the reservation expires. Here timers of two seconds take
      // a minute, so that the expired state stays visible.
      await page.addInitScript(() => {
        const later = window.setTimeout.bind(window);
        Object.assign(window, {
          setTimeout: (run: () => void, ms: number, ...rest: unknown[]) =>
            later(run, ms === 2000 ? 60_000 : ms, ...(rest as [])),
        });
      });
      await fillCart(page, request);
      await page.getByRole('button', { name: 'Checkout', exact: true }).click();
      await expect(page.getByRole('heading', { name: 'Reservation Expired' })).toBeVisible();
    },
  },
  {
    name: 'shop-thank-you',
    show: async ({ page, request }) => {
      await buyByCard(page, (await findDrawWithTickets(request, 4)).drawNumber, 3, newBuyer());
      await expectTickets(page, 3);
    },
  },
  {
    name: 'shop-my-tickets',
    show: async ({ page, request }) => {
      await buyByCard(page, (await findDrawWithTickets(request, 4)).drawNumber, 3, newBuyer());
      await expectTickets(page, 3);
      await page.getByRole('link', { name: 'My tickets' }).click();
      await expect(page.getByRole('heading', { level: 1, name: 'My tickets' })).toBeVisible();
      await expect(page.locator('.ticket')).toHaveCount(3);
    },
  },
  { name: 'shop-my-orders', show: openMailedOrderLink },
  {
    name: 'shop-thank-you-pending',
    show: async (stage) => {
      await openThankYouWithChangedOrder(stage, { status: 'processing' });
      await expect(stage.page.locator('.thanks-head')).toContainText(
        'Your tickets are being issued',
      );
    },
  },
  {
    name: 'shop-thank-you-mismatch',
    show: async (stage) => {
      await openThankYouWithChangedOrder(stage, { status: 'requires_payment_method' });
      await stage.page.route('**/api/complete-card-payment', (route) =>
        route.fulfill({
          status: 409,
          json: {
            code: 'payment-mismatch',
            message:
              'This payment does not match your order. We are looking into it; please contact support.',
          },
        }),
      );
      await expect(stage.page.locator('.thanks-head')).toContainText('We are looking into it');
    },
  },
  {
    name: 'shop-thank-you-refused',
    show: async (stage) => {
      await openThankYouWithChangedOrder(stage, {
        status: 'not_charged',
        reason: 'The tickets were no longer available.',
      });
      await expect(
        stage.page.getByRole('heading', { name: 'No tickets were bought' }),
      ).toBeVisible();
    },
  },
  {
    name: 'shop-thank-you-refund',
    show: async (stage) => {
      await openThankYouWithChangedOrder(stage, {
        status: 'refunding',
        reason: 'Your tickets could not be issued.',
        refund: { state: 'pending', amount: '5.39' },
      });
      await expect(
        stage.page.getByRole('heading', { name: 'Your payment is being refunded' }),
      ).toBeVisible();
    },
  },
  {
    name: 'shop-thank-you-refunded',
    show: async (stage) => {
      await openThankYouWithChangedOrder(stage, {
        status: 'refunded',
        reason: 'The draw was cancelled.',
        refund: { state: 'succeeded', amount: '5.39' },
      });
      await expect(
        stage.page.getByRole('heading', { name: 'Your payment was refunded' }),
      ).toBeVisible();
    },
  },
  {
    name: 'shop-thank-you-contact',
    show: async (stage) => {
      await openThankYouWithChangedOrder(stage, { buyerEmailMasked: null });
      await expect(
        stage.page.getByRole('heading', { name: 'How can we reach you?' }),
      ).toBeVisible();
    },
  },
  {
    name: 'shop-thank-you-demo',
    show: async ({ page }) => {
      await page.goto('/demo-thank-you');
      await expect(page.getByText('Sample Sharks v Sample Tigers').first()).toBeVisible();
    },
  },
  {
    name: 'shop-apple-pay-invalid',
    show: async ({ page }) => {
      await page.goto('/apple-pay-redirect?drawId=1001');
      await expect(page.getByRole('heading', { name: 'Invalid Apple Pay Request' })).toBeVisible();
    },
  },
  {
    name: 'shop-debug-cart',
    show: async ({ page, request }) => {
      await fillCart(page, request);
      await page.goto('/debugcart');
      await expect(page.getByText('"homeTeam"').first()).toBeVisible();
    },
  },
];
