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
import { findCompletedDraw, findDrawWithTickets } from '../support/draws';
import { createTestDraw } from '../support/own-draw';
import { changeResponse, changeDrawResponse, stubFailure, blockSockets } from '../support/stubs';

const PANEL_SELECTOR = '.buy .panel';

test('each status shows its badge and its specified texts, byte for byte', async ({
  page,
  request,
}) => {
  const { drawNumber } = await findDrawWithTickets(request, 1);
  const started = new Date(Date.now() - 60_000).toISOString();
  for (const [more, badge, title, text] of [
    [
      { status: 'closed', gameDate: started },
      'Closed',
      'Draw Closed',
      'This draw has closed as the game has started. No more tickets can be purchased.',
    ],
    [
      { ticketsSold: 169, ticketsAvailable: 0, ticketsHeld: 0 },
      'Active',
      'Sold Out!',
      'All tickets for this draw have been sold. The draw will close soon.',
    ],
    [
      { status: 'paused' },
      'Completed',
      'Sold Out!',
      'All tickets for this draw have been sold. The draw will close soon.',
    ],
    [{ status: 'cancelled' }, 'Cancelled', 'Draw cancelled', 'Every ticket is refunded.'],
  ] as const) {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await changeDrawResponse(page, drawNumber, more);
    await page.goto(`/draw/${drawNumber}`);
    await expect(page.locator('.hero .badge'), title).toHaveText(badge);
    await expect(page.locator(PANEL_SELECTOR)).toContainText(title);
    await expect(page.locator(PANEL_SELECTOR)).toContainText(text);
    await expect(page.locator(PANEL_SELECTOR).getByText('Awaiting results')).toBeVisible({
      visible: title === 'Draw Closed',
    });
    await expect(payButton(page)).toHaveCount(0);
  }
});

test('a completed draw says so, names a contact and links to its verification', async ({
  page,
  request,
}) => {
  const number = await findCompletedDraw(request);
  await page.goto(`/draw/${number}`);
  await expect(page.locator(PANEL_SELECTOR)).toContainText('Draw Completed');
  await expect(page.locator(PANEL_SELECTOR)).toContainText(
    'This draw has completed and the winner has been announced.',
  );
  await expect(page.getByRole('region', { name: 'Need Help' })).toContainText(
    'Questions about this draw:',
  );
  await expect(
    page.getByRole('region', { name: 'How Football Doubles Works' }).getByRole('listitem'),
  ).toHaveCount(3);
  await page.getByRole('link', { name: 'Verify this draw' }).click();
  await expect(page).toHaveURL(new RegExp(`/verify/${number}$`));
});

test('tickets that cannot be loaded show an error with Retry', async ({ page, request }) => {
  const number = await findCompletedDraw(request);
  await stubFailure(page, `/api/draws/${number}/tickets`);
  await page.goto(`/draw/${number}`);
  await expect(page.getByRole('alert')).toContainText('Failed to fetch tickets');
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page.locator('.result-grid td.is-sold').first()).toBeVisible();
  await expect(page.getByText('Failed to fetch tickets')).toHaveCount(0);
});

test('at kick-off the page shows ‘Game started’, the card ‘Game Started’, and nothing can be bought', async ({
  page,
  request,
}) => {
  const { drawNumber, homeTeam, awayTeam } = await findDrawWithTickets(request, 1);
  const at = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString();
  await changeDrawResponse(page, drawNumber, { gameDate: at(6) });
  await page.goto(`/draw/${drawNumber}`);
  await expect(page.locator('.hero .pill')).toHaveText(/to kick-off/);
  await expect(page.locator('.hero .pill')).toHaveText('Game started');
  await expect(page.locator(PANEL_SELECTOR)).toContainText('Draw Closed');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await changeDrawResponse(page, drawNumber, { gameDate: at(6) });
  await page.goto('/');
  const card = page.getByRole('article', { name: `${homeTeam} v ${awayTeam}` });
  await expect(card.locator('.pill')).toHaveText('Game Started');
  await expect(card.getByRole('link', { name: /^Buy Now/ })).toHaveCount(0);
});

test('a real kick-off closes an open form, and a press after it buys nothing', async ({
  page,
  playwright,
  baseURL,
}) => {
  const draw = await createTestDraw(playwright, baseURL ?? '', { startsIn: 8 });
  await page.goto(`/draw/${draw.drawNumber}`);
  await expect(page.getByLabel('Card number')).toBeVisible();
  await expect(page.locator(PANEL_SELECTOR)).toContainText('Draw Closed', { timeout: 15_000 });
  await expect(payButton(page)).toHaveCount(0);
  await expect(page.locator('.hero .badge')).toHaveText('Closed');
  const late = await page.request.post('/api/create-payment-intent', {
    headers: { origin: new URL(baseURL ?? '').origin },
    data: { drawNumber: draw.drawNumber, ticketCount: 1 },
  });
  expect([late.status(), ((await late.json()) as { code: string }).code]).toEqual([
    409,
    'draw-closed',
  ]);
});

test('a draw that opens later shows when, on its card, its page and its checkout', async ({
  page,
  playwright,
  baseURL,
}) => {
  const draw = await createTestDraw(playwright, baseURL ?? '', {
    salesOpenAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  for (const path of [`/draw/${draw.drawNumber}`, `/checkout/${draw.drawNumber}?tickets=1`]) {
    await page.goto(path);
    await expect(page.getByText(/On sale from \w{3} \d/)).toBeVisible();
    await expect(page.getByText('Not on sale yet')).toBeVisible();
    await expect(payButton(page)).toHaveCount(0);
  }
  await page.goto(`/club/${draw.clubSlug}`);
  const card = page.getByRole('article', { name: `${draw.homeTeam} v ${draw.awayTeam}` });
  await expect(card).toContainText(/On sale from \w{3} \d/);
  await expect(card.getByRole('link', { name: /^Buy Now/ })).toHaveCount(0);
  await expect(card.getByRole('button', { name: /^Add to cart/ })).toHaveCount(0);
});

test('an outdated price is refused and reloaded, and the next press pays the current price', async ({
  page,
  playwright,
  baseURL,
}) => {
  const draw = await createTestDraw(playwright, baseURL ?? '');
  await blockSockets(page);
  // While `old` is true, the server's answers about the draw contain an outdated price. The HTML
  // page always does.
  let old = true;
  await changeResponse(page, new RegExp(`/api/draws/${draw.drawNumber}$`), (said: object) =>
    old ? { ...said, ticketPrice: '3.00' } : said,
  );
  await page.route(
    (url) => url.pathname === `/draw/${draw.drawNumber}`,
    async (route) => {
      const answer = await route.fetch();
      await route.fulfill({
        response: answer,
        body: (await answer.text()).replace(/"ticketPrice":"5.00"/g, '"ticketPrice":"3.00"'),
      });
    },
  );
  await page.goto(`/draw/${draw.drawNumber}`);
  await tickConsentBoxes(page);
  await fillDetails(page, newBuyer());
  await fillCard(page, GOOD_CARD);
  await expect(payButton(page)).toHaveText('Purchase Tickets - $3.00');
  old = false;
  await payButton(page).click();
  await expect(page.locator('.callout.is-bad')).toContainText('Payment Setup Failed');
  await expect(payButton(page)).toHaveText('Purchase Tickets - $5.00');
  await payButton(page).click();
  await expectTickets(page, 1);
  await expect(page.locator('.receipt-card')).toContainText('$5.00');
});

test('the accepted cards are shown in words', async ({ page, request }) => {
  const { drawNumber } = await findDrawWithTickets(request, 1);
  await page.goto(`/draw/${drawNumber}`);
  await expect(page.getByRole('list', { name: 'Accepted cards' }).getByRole('listitem')).toHaveText(
    [/Visa$/, /Mastercard$/, /Amex$/],
  );
});
