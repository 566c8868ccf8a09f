import { expect, test, type Page } from '@playwright/test';
import { expectNoViolations } from '../support/axe';
import { fetchDemoClub, createClubDraw, waitUntilLoaded, signIn } from '../support/club';
import { waitForMail } from '../support/mailbox';

const MEMBER_PASSWORD = 'a-word-of-my-own';

async function inviteMember(page: Page, name: string, email: string, role: string): Promise<void> {
  await page.getByRole('button', { name: 'Invite somebody' }).click();
  const dialog = page.getByRole('dialog', { name: 'Invite somebody' });
  await dialog.getByLabel('Name', { exact: true }).fill(name);
  await dialog.getByLabel('Email', { exact: true }).fill(email);
  await dialog.getByRole('radio', { name: new RegExp(`^${role}`) }).check();
  await dialog.getByRole('button', { name: 'Send invitation' }).click();
  await expect(page.locator('.toast').filter({ hasText: 'Invitation sent' })).toBeVisible();
  await expect(dialog).toBeHidden();
}

/** Opens the link in the invitation mail to this e-mail address. */
async function openInvitation(page: Page, email: string): Promise<void> {
  const letter = await waitForMail(page.request, email, 'invitation');
  const link = new URL(
    /https?:\/\/\S+\/reset-password\?invited=1&token=[0-9a-f]+/.exec(letter.text)?.[0] ?? '',
  );
  await page.goto(link.pathname + link.search);
}

async function logIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(MEMBER_PASSWORD);
  await page.getByRole('button', { name: 'Login', exact: true }).click();
}

test('an invited seller enters a result without access to people, becomes a viewer, and is removed', async ({
  page,
  browser,
  baseURL,
}) => {
  test.setTimeout(90_000);
  await page.setViewportSize({ width: 390, height: 844 });
  const email = `kim-${Date.now().toString(36)}@example.com`;
  const club = await fetchDemoClub(page);
  const admin = `/club/${club.slug}/admin`;
  await signIn(page, baseURL ?? '', club);
  const draw = await createClubDraw(page, baseURL ?? '', club);

  await page.goto(admin);
  await waitUntilLoaded(page);
  await page.getByRole('button', { name: 'Menu', exact: true }).click();
  await page.getByRole('link', { name: 'People' }).click();
  await waitUntilLoaded(page);
  await inviteMember(page, 'Kim Seller', email, 'Seller');
  const card = page.getByRole('listitem').filter({ hasText: email });
  await expect(card.getByText('Invited', { exact: true })).toBeVisible();
  await expectNoViolations(page, 'people');

  const kim = await browser.newPage({ viewport: { width: 390, height: 844 } });
  await openInvitation(kim, email);
  await expect(kim.getByRole('heading', { level: 1, name: 'Choose a password' })).toBeVisible();
  expect(new URL(kim.url()).search, 'the secret has left the address').toBe('');
  await expectNoViolations(kim, 'choose a password');
  for (const label of ['New password', 'Confirm password'])
    await kim.getByLabel(label, { exact: true }).fill(MEMBER_PASSWORD);
  await kim.getByRole('button', { name: 'Set password' }).click();
  await expect(kim.getByRole('heading', { level: 1, name: 'You are in' })).toBeVisible();
  await kim.getByRole('link', { name: 'Go to Login' }).click();
  await logIn(kim, email);
  await expect(kim).toHaveURL(new RegExp(`${admin}$`));
  await waitUntilLoaded(kim);
  await expect(kim.getByText(/^Signed in as Kim Seller\./)).toBeVisible();
  await kim.getByRole('button', { name: 'Menu', exact: true }).click();
  await expect(kim.getByRole('link', { name: 'Bundles' })).toBeVisible();
  for (const name of ['People', 'Home Page'])
    await expect(kim.getByRole('link', { name, exact: true })).toHaveCount(0);

  await kim.goto(`${admin}/results/${draw}`);
  await waitUntilLoaded(kim);
  await kim.locator('.pad button').nth(3).click();
  await kim.locator('.pad button').nth(10).click();
  await kim.locator('.entry-bar').getByRole('button', { name: 'Submit Results' }).click();
  await kim
    .getByRole('alertdialog')
    .getByRole('button', { name: /^Announce/ })
    .click();
  await expect(kim.getByRole('heading', { name: 'The result is in' })).toBeVisible();
  await kim.goto(`${admin}/people`);
  await expect(kim.getByText('Only an owner of the club can do this.')).toBeVisible();

  await page.reload();
  await waitUntilLoaded(page);
  await expect(card.getByText('Invited', { exact: true })).toHaveCount(0);
  await card.getByRole('button', { name: 'Actions for Kim Seller' }).click();
  await page.getByRole('menuitem', { name: 'Change role' }).click();
  await page
    .getByRole('alertdialog', { name: 'Role of Kim Seller' })
    .getByRole('radio', { name: /^Viewer/ })
    .check();
  await page.getByRole('button', { name: 'Save role' }).click();
  await expect(card.getByText('Viewer', { exact: true })).toBeVisible();

  // A changed role ends the member's sessions. After signing in again, Kim is a viewer.
  await kim.goto('/admin/login');
  await logIn(kim, email);
  await waitUntilLoaded(kim);
  await expect(kim.getByText(/^Signed in as Kim Seller\. Viewer:/)).toBeVisible();
  await expect(kim.getByRole('button', { name: 'Create Draw' })).toHaveCount(0);
  await expect(kim.getByRole('link', { name: 'Create Draw' })).toHaveCount(0);
  await kim.goto(`${admin}/create-draw`);
  await expect(kim.getByText(/^Your role only lets you look\./)).toBeVisible();
  const refused = await kim.request.post(`/api/draws/${draw}/notify-winners`, {
    headers: { origin: new URL(baseURL ?? '').origin },
    data: {},
  });
  expect([refused.status(), ((await refused.json()) as { code: string }).code]).toEqual([
    403,
    'role-not-allowed',
  ]);

  await card.getByRole('button', { name: 'Actions for Kim Seller' }).click();
  await page.getByRole('menuitem', { name: 'Remove' }).click();
  await page
    .getByRole('alertdialog', { name: 'Remove Kim Seller?' })
    .getByRole('button', { name: 'Remove' })
    .click();
  await expect(card).toHaveCount(0);
  await kim.goto('/admin/login');
  await logIn(kim, email);
  await expect(kim.getByRole('alert').first()).toContainText('Invalid credentials');
  await kim.close();
});
