import { expect, test } from '@playwright/test';
import { expectNoViolations } from '../support/axe';
import { buyByCard, expectTickets, payButton, somebody } from '../support/buyer';
import { drawWith } from '../support/draws';

// `public/rules.spec.ts` checks each public state alone, and `shop-states.spec.ts` each buying
// state. This test checks states that follow one another in one visit.
const SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
];

for (const size of SIZES) {
  test(`form problems, terms and tickets have no axe violation at ${size.width}`, async ({
    page,
    request,
  }) => {
    await page.setViewportSize(size);
    const draw = await drawWith(request, 3);
    await page.goto(`/draw/${draw.drawNumber}`);
    // The provider's fields load late and move the button down. An earlier click would miss it.
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
    await buyByCard(page, draw.drawNumber, 1, somebody());
    await expectTickets(page, 1);
    await expectNoViolations(page, 'thank-you');
    await page.getByRole('link', { name: 'My tickets' }).click();
    await expect(page.locator('main.thanks .ticket')).toHaveCount(1);
    await expect(page.getByRole('heading', { level: 1, name: 'My tickets' })).toBeVisible();
    await expectNoViolations(page, 'my tickets');
  });
}
