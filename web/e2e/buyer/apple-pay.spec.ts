import { expect, test, type Page } from '@playwright/test';
import { expectTickets } from '../support/buyer';
import { findDrawWithTickets } from '../support/draws';

/**
 * Opens a payment in this browser. Returns the link to the Apple Pay page for the payment, and the
 * payment's client secret.
 */
async function applePayLink(
  page: Page,
  drawNumber: number,
  baseURL: string | undefined,
): Promise<{ link: string; secret: string }> {
  await page.goto(`/draw/${drawNumber}`);
  const opened = await page.request.post('/api/create-payment-intent', {
    headers: { origin: new URL(baseURL ?? '').origin },
    data: { drawId: drawNumber, ticketCount: 2 },
  });
  const { clientSecret, amount } = (await opened.json()) as {
    clientSecret: string;
    amount: number;
  };
  return {
    secret: clientSecret,
    link: `/apple-pay-redirect?clientSecret=${clientSecret}&drawId=${drawNumber}&ticketCount=2&amount=${amount}`,
  };
}

test.describe('on an iPhone', () => {
  test.use({
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  });

  test('Apple Pay completes the payment, and the secret leaves the address at once', async ({
    page,
    request,
    baseURL,
  }) => {
    const draw = await findDrawWithTickets(request, 4);
    const { link, secret } = await applePayLink(page, draw.drawNumber, baseURL);
    await page.goto(link);
    await expect(page.getByText(/Ready: 2 tickets for/)).toBeVisible();
    expect(page.url()).not.toContain(secret);
    expect(await page.locator('body').innerText()).not.toContain(secret);
    await page.getByLabel('I am over 18 years old').check();
    await page.getByLabel(/I accept the/).check();
    await page.getByRole('button', { name: 'Pay with Apple Pay' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await expect(page.locator('.callout.is-bad')).toContainText('Payment Cancelled');
    await page.getByRole('button', { name: 'Pay with Apple Pay' }).click();
    await page.getByRole('button', { name: 'Confirm payment' }).click();
    await expectTickets(page, 2);
  });

  test('a payment of another browser is refused', async ({ page, request, baseURL, browser }) => {
    const draw = await findDrawWithTickets(request, 4);
    const other = await (await browser.newContext()).newPage();
    const { link } = await applePayLink(other, draw.drawNumber, baseURL);
    await page.goto(link);
    await expect(page.getByRole('heading', { name: 'Invalid Apple Pay Request' })).toBeVisible();
    await expect(page.getByRole('link', { name: 'Back to Checkout' })).toHaveAttribute(
      'href',
      `/checkout?drawId=${draw.drawNumber}&ticketCount=2`,
    );
    await other.context().close();
  });
});

test('a device without Apple Pay shows a message and returns to the checkout', async ({
  page,
  request,
  baseURL,
}) => {
  const draw = await findDrawWithTickets(request, 4);
  const { link } = await applePayLink(page, draw.drawNumber, baseURL);
  await page.goto(link);
  await expect(page.locator('.callout.is-bad')).toContainText(
    'Apple Pay UnavailableApple Pay is not available on this device. Please use card payment.',
  );
  await expect(page.getByText(/You go back to the checkout in/)).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`/checkout/${draw.drawNumber}\\?tickets=2$`));
});
