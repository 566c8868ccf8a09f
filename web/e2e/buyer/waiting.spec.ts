import { expect, test, type APIRequestContext } from '@playwright/test';
import { reserveThroughApi } from '../support/draws';
import { createTestDraw } from '../support/own-draw';

test('a visitor sees that every ticket is reserved, and then the ticket that is released', async ({
  page,
  playwright,
  baseURL,
}) => {
  const base = baseURL ?? '';
  const draw = await createTestDraw(playwright, base, { left: 3 });
  const others: APIRequestContext[] = [];
  const hold = async (count: number) => {
    const other = await playwright.request.newContext({ baseURL: base });
    others.push(other);
    return reserveThroughApi(other, base, draw.drawNumber, count);
  };
  const [two, one] = [await hold(2), await hold(1)];
  await page.goto(`/draw/${draw.drawNumber}`);
  await expect(page.locator('.waiting')).toContainText(
    '3 tickets are being paid for; you’ll see them here if they come free.',
  );
  await expect(page.getByRole('heading', { name: 'Sold Out!' })).toHaveCount(0);
  await two.release();
  await expect(page.getByText('Quantity · 2 left')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Purchase Tickets' })).toBeVisible();
  await page.getByRole('button', { name: 'One more' }).click();
  await one.release();
  await expect(page.getByText('Quantity · 3 left')).toBeVisible();
  // Another buyer reserves two of the three tickets, so the page lowers the chosen count to one.
  await hold(2);
  await expect(
    page.getByRole('status').filter({ hasText: 'Only 1 left – quantity changed' }),
  ).toBeVisible();
  await expect(page.getByRole('spinbutton')).toHaveText('1');
  await Promise.all(others.map((context) => context.dispose()));
});
