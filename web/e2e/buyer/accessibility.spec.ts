import { expect, test } from '@playwright/test';
import { expectNoViolations } from '../support/axe';
import { buyByCard, expectTickets, payButton, newBuyer } from '../support/buyer';
import { findDrawWithTickets } from '../support/draws';

// Window sizes for the axe checks of consecutive steps of one purchase. Other tests check each page
// alone: `public/rules.spec.ts` the public pages, `shop-states.spec.ts` the buying pages.
const WINDOW_SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
];

for (const size of WINDOW_SIZES) {
  test(`form problems, terms and tickets have no axe violation at ${size.width}`, async ({
    page,
    request,
  }) => {
    await page.setViewportSize(size);
    const draw = await findDrawWithTickets(request, 3);
    await page.goto(`/draw/${draw.drawNumber}`);
    // Waits for the provider's card fields, which load later than the page.
    await expect(page.getByLabel('Card number')).toBeVisible();
    await payButton(page).click({ force: true });
    await expect(page.locator('.problems')).toBeFocused();
    await expect(page).toHaveTitle(/^Error: /);
    await expectNoViolations(page, 'problems');
    await page.getByRole('button', { name: 'Terms of Sale' }).click();
    await expect(page.getByRole('dialog', { name: 'Terms of Sale' })).toBeVisible();
    await expect(page.getByText('Version 1.0')).toBeVisible();
    await expectNoViolations(page, 'terms');
    await page.keyboard.press('Escape');
    await buyByCard(page, draw.drawNumber, 1, newBuyer());
    await expectTickets(page, 1);
    await expectNoViolations(page, 'thank-you');
    await page.getByRole('link', { name: 'My tickets' }).click();
    await expect(page.locator('main.thanks .ticket')).toHaveCount(1);
    await expect(page.getByRole('heading', { level: 1, name: 'My tickets' })).toBeVisible();
    await expectNoViolations(page, 'my tickets');
  });
}
