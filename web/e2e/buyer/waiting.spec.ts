import { expect, test, type APIRequestContext } from '@playwright/test';
import { activeDraws, buyByCall, holdByCall, type Held } from '../support/draws';

test('whoever comes when every ticket is being paid for sees so, and sees the ticket that comes free', async ({ page, request, playwright, baseURL }) => {
  const base = baseURL ?? '';
  const draws = (await activeDraws(request)).filter((draw) => draw.ticketsAvailable > 3 && Date.parse(draw.gameDate) - Date.now() > 1_800_000);
  const draw = draws.sort((one, other) => one.ticketsAvailable - other.ticketsAvailable)[0];
  expect(draw, 'a draw with a few tickets left').toBeDefined();
  if (!draw) return;
  const others: APIRequestContext[] = [];
  const another = async () => {
    const context = await playwright.request.newContext({ baseURL: base });
    others.push(context);
    return context;
  };
  for (let left = draw.ticketsAvailable - 3; left > 0; left -= 50) await buyByCall(await another(), base, draw.drawNumber, Math.min(50, left));
  const held: Held[] = [await holdByCall(await another(), base, draw.drawNumber, 2), await holdByCall(await another(), base, draw.drawNumber, 1)];
  await page.goto(`/draw/${draw.drawNumber}`);
  await expect(page.locator('.waiting')).toContainText('3 tickets are being paid for; you’ll see them here if they come free.');
  await expect(page.getByRole('heading', { name: 'Sold Out!' })).toHaveCount(0);
  await held[0]?.release();
  await expect(page.getByText('Quantity · 2 left')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Purchase Tickets' })).toBeVisible();
  await page.getByRole('button', { name: 'One more' }).click();
  await held[1]?.release();
  await expect(page.getByText('Quantity · 3 left')).toBeVisible();
  // Somebody else is quicker: the count drops by itself, and it is said.
  const quick = await holdByCall(await another(), base, draw.drawNumber, 2);
  await expect(page.getByRole('status').filter({ hasText: 'Only 1 left – quantity changed' })).toBeVisible();
  await expect(page.getByRole('spinbutton')).toHaveText('1');
  await quick.release();
  await Promise.all(others.map((context) => context.dispose()));
});
