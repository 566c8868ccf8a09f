/** Actions of a simulated buyer on the product's pages. Controls are found by their labels. */
import { expect, type Page } from '@playwright/test';

export const GOOD_CARD = '4242424242424242';
export const DECLINED_CARD = '4000000000000002';
export const THREE_D_SECURE_CARD = '4000000000003220';

export interface TestBuyer {
  name: string;
  email: string;
}

let buyersCreated = 0;
export function newBuyer(): TestBuyer {
  buyersCreated += 1;
  return {
    name: `Robin Test ${buyersCreated}`,
    email: `robin${Date.now()}-${buyersCreated}@example.com`,
  };
}

export async function tickConsentBoxes(page: Page): Promise<void> {
  await page.getByLabel('I confirm that I am over 18 years of age').check();
  await page.getByLabel(/I accept the/).check();
}

export async function fillCard(page: Page, number: string): Promise<void> {
  await page.getByLabel('Card number').fill(number);
  await page.getByLabel(/Expiry/).fill('12 / 34');
  await page.getByLabel(/Security code|CVC/).fill('123');
}

export async function fillDetails(page: Page, person: TestBuyer): Promise<void> {
  await page.getByLabel('Full Name').fill(person.name);
  await page.getByLabel('Email Address').fill(person.email);
  await page.getByLabel('Phone Number').fill('0400 000 000');
}

export const payButton = (page: Page) => page.getByRole('button', { name: /^Purchase Tickets - / });

export async function buyByCard(
  page: Page,
  drawNumber: number,
  count: number,
  person: TestBuyer,
  card = GOOD_CARD,
): Promise<void> {
  await page.goto(`/draw/${drawNumber}?quantity=${count}`);
  await tickConsentBoxes(page);
  await fillDetails(page, person);
  await fillCard(page, card);
  await payButton(page).click();
}

/** Expects the thank-you page with this many tickets. */
export async function expectTickets(page: Page, count: number): Promise<void> {
  await expect(page).toHaveURL(/\/thank-you$/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Thank you');
  await expect(page.locator('.ticket')).toHaveCount(count);
}
