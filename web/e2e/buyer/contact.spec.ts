import { expect, test } from '@playwright/test';
import { expectTickets } from '../support/buyer';
import { READ_RETRIES, findDrawWithTickets } from '../support/draws';

test('a wallet purchase without an address asks for one once and then sends a mail', async ({
  page,
  request,
  baseURL,
}) => {
  const draw = await findDrawWithTickets(request, 3);
  const headers = { origin: new URL(baseURL ?? '').origin };
  await page.goto(`/draw/${draw.drawNumber}`);
  // Buys by direct API calls without payer details, as with a wallet that gives none.
  const { publishableKey } = (await (await page.request.get('/api/config')).json()) as {
    publishableKey: string;
  };
  const opened = await page.request.post('/api/create-payment-intent', {
    headers,
    data: { drawId: draw.drawNumber, ticketCount: 1 },
  });
  const { clientSecret, paymentIntentId, connectedAccountId, orderToken } =
    (await opened.json()) as Record<
      'clientSecret' | 'paymentIntentId' | 'connectedAccountId' | 'orderToken',
      string
    >;
  await page.request.post(`/sandbox/stripe/v1/payment_intents/${paymentIntentId}/confirm`, {
    headers: { authorization: `Bearer ${publishableKey}`, 'stripe-account': connectedAccountId },
    form: {
      client_secret: clientSecret,
      payment_method: 'pm_card_visa',
      return_url: baseURL ?? '',
    },
  });
  const done = await page.request.post('/api/purchase-tickets', {
    headers,
    data: {
      drawNumber: draw.drawNumber,
      ticketCount: 1,
      paymentIntentId,
      ageConfirmation: true,
      termsAgreement: true,
    },
  });
  expect(done.ok(), await done.text()).toBe(true);
  await page.evaluate((payment) => sessionStorage.setItem('lastPayment', JSON.stringify(payment)), {
    paymentIntentId,
    orderToken,
    scope: `draw:${draw.drawNumber}`,
  });
  await page.goto('/thank-you');
  await expectTickets(page, 1);
  const question = page.getByRole('region', { name: 'How can we reach you?' });
  await question.getByRole('button', { name: 'Save my details' }).click();
  await expect(question.getByRole('listitem')).toHaveText([
    'Full name is required',
    'Email is required',
    'Phone number is required',
  ]);
  const email = `wallet${Date.now()}@example.com`;
  await question.getByLabel('Full Name').fill('Wallet Buyer');
  await question.getByLabel('Email Address').fill('nonsense');
  await question.getByLabel('Phone Number').fill('0400 111 222');
  await question.getByRole('button', { name: 'Save my details' }).click();
  await expect(
    question.getByText('This does not look like an e-mail address').first(),
  ).toBeVisible();
  await question.getByLabel('Email Address').fill(email);
  await question.getByRole('button', { name: 'Save my details' }).click();
  await expect(question).toBeHidden();
  await expect
    .poll(async () => (await request.get('/sandbox/mailbox.json', READ_RETRIES)).text())
    .toContain(email);
});
