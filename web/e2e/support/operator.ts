/**
 * Signs in the demo's operator on a real server, with the password and then the code of the demo's
 * authenticator.
 */
import { expect, type APIRequestContext, type Page } from '@playwright/test';

interface AuthenticatorCodes {
  code: string;
  nextCode: string;
  validForSeconds: number;
}

export const fetchOperatorCodes = async (request: APIRequestContext): Promise<AuthenticatorCodes> =>
  (await request.get('/sandbox/operator-code.json')).json() as Promise<AuthenticatorCodes>;

/**
 * Enters the authenticator's current code. Each code is valid once. If this code was used already,
 * enters the next code, which the server accepts in advance.
 */
export async function enterAuthenticatorCode(page: Page, isIn: () => Promise<void>): Promise<void> {
  const { code, nextCode } = await fetchOperatorCodes(page.request);
  const field = page.getByLabel('Six-digit code');
  await field.fill(code);
  const used = page.getByText('That code was used already. Wait for the next one.');
  await Promise.race([isIn(), used.waitFor()]);
  if (await used.isVisible()) {
    await field.fill(nextCode);
    await isIn();
  }
}

export async function logIn(page: Page): Promise<void> {
  await page.goto('/admin/login');
  await page.getByLabel('Email').fill('operator@demo.test');
  await page.getByLabel('Password', { exact: true }).fill('demo-password');
  await page.getByRole('button', { name: 'Login', exact: true }).click();
  await expect(page).toHaveURL(/\/super-admin/);
  await enterAuthenticatorCode(page, () =>
    expect(page.getByRole('heading', { level: 1, name: 'Overview' })).toBeVisible(),
  );
}
