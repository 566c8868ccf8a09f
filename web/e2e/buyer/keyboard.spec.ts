import { expect, test, type Page } from '@playwright/test';
import { expectTickets } from '../support/buyer';
import { findDrawWithTickets } from '../support/draws';

/**
 * Presses Tab until the control with this name has the focus. Fails if a control that gets the
 * focus before it is not visible.
 */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => {
      let focused: Element | null = document.activeElement;
      while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
      if (!(focused instanceof HTMLElement)) return { name: '', seen: true };
      const label =
        focused.getAttribute('aria-label') ??
        (focused as HTMLInputElement).labels?.[0]?.textContent ??
        focused.textContent ??
        '';
      const box = focused.getBoundingClientRect();
      return {
        name: label.trim(),
        seen: box.height > 0 && box.top < window.innerHeight && box.bottom > 0,
      };
    });
    expect(at.seen, `focus on "${at.name}" can be seen`).toBe(true);
    if (name.test(at.name)) return;
  }
  throw new Error(`${name} was never reached with Tab`);
}

test('a ticket can be bought with the keyboard alone', async ({ page, request }) => {
  const draw = await findDrawWithTickets(request, 3);
  await page.goto(`/draw/${draw.drawNumber}`);
  await expect(page.getByLabel('Card number')).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
  await tabTo(page, /^Quantity$/);
  await page.keyboard.press('ArrowUp');
  await expect(page.getByRole('spinbutton')).toHaveText('2');
  await tabTo(page, /over 18/);
  await page.keyboard.press('Space');
  await tabTo(page, /I accept the/);
  await page.keyboard.press('Space');
  await tabTo(page, /Full Name/);
  await page.keyboard.type('Kim Keys');
  await tabTo(page, /Email/);
  await page.keyboard.type('kim@example.com');
  await tabTo(page, /Phone/);
  await page.keyboard.type('0400 000 000');
  await tabTo(page, /Card number/);
  await page.keyboard.type('4242424242424242');
  await page.keyboard.type('1234');
  await page.keyboard.type('123');
  await page.keyboard.press('Enter');
  await expectTickets(page, 2);
});

test('an empty form links each problem to its field', async ({ page, request }) => {
  const draw = await findDrawWithTickets(request, 1);
  await page.goto(`/draw/${draw.drawNumber}`);
  await page.getByLabel('Phone Number').focus();
  await page.keyboard.press('Enter');
  const problems = page.locator('.problems');
  await expect(problems).toBeFocused();
  await expect(problems.getByRole('listitem')).toHaveText([
    'Full name is required',
    'Email is required',
    'Phone number is required',
    'Please confirm you are over 18 years old',
    'Please accept the terms and conditions',
  ]);
  await problems.getByRole('link', { name: 'Email is required' }).press('Enter');
  await expect(page.getByLabel('Email Address')).toBeFocused();
});

test('a solved problem leaves its field, and its line in the list stays struck out', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 1);
  await page.goto(`/draw/${draw.drawNumber}`);
  await page.getByLabel('Phone Number').focus();
  await page.keyboard.press('Enter');
  const line = page
    .locator('.problems')
    .getByRole('listitem')
    .filter({ hasText: 'Email is required' });
  const before = await line.boundingBox();
  await page.getByLabel('Email Address').fill('kim@example.com');
  await expect(page.locator('.field-error', { hasText: 'Email is required' })).toHaveCount(0);
  await expect(page.getByLabel('Email Address')).not.toHaveAttribute('aria-invalid');
  await expect(line).toHaveClass('is-edited');
  expect((await line.boundingBox())?.height).toBe(before?.height);
  await expect(page.locator('.field-error', { hasText: 'Phone number is required' })).toBeVisible();
  await page.getByLabel('Email Address').fill(' ');
  await expect(page.locator('.field-error', { hasText: 'Email is required' })).toBeVisible();
});

test('F8 moves focus to the notifications, and Escape closes the terms and returns focus', async ({
  page,
  request,
}) => {
  const draw = await findDrawWithTickets(request, 1);
  await page.goto(`/draw/${draw.drawNumber}`);
  const terms = page.getByRole('button', { name: 'Terms of Sale' });
  await terms.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await expect(terms).toBeFocused();
  await expect(page.getByLabel(/I accept the/)).not.toBeChecked();
  await page.keyboard.press('F8');
  await expect(page.getByRole('region', { name: /Notifications/ })).toBeFocused();
});
