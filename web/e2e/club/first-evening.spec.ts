import { readFile } from 'node:fs/promises';
import { expect, test, type Page } from '@playwright/test';
import { expectNoViolations } from '../support/axe';
import { waitUntilLoaded } from '../support/club';
import { waitForMail } from '../support/mailbox';

// Registers a new club, so that other tests find the demo's clubs unchanged.
test.describe.configure({ mode: 'serial' });

const RUN_ID = Date.now().toString(36);
const CLUB_NAME = `Evening ${RUN_ID}`;
const LOGO_PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

let page: Page;
let clubSlug = '';

test.beforeAll(async ({ browser }) => {
  page = await browser.newPage({ viewport: { width: 390, height: 844 } });
});
test.afterAll(() => page.close());

const openAdminPage = async (path: string) => {
  await page.goto(`/club/${clubSlug}/admin${path}`);
  await waitUntilLoaded(page);
};

const downloadFile = async (name: string | RegExp, pattern: RegExp) => {
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name }).or(page.getByRole('menuitem', { name })).first().click(),
  ]);
  expect(file.suggestedFilename()).toMatch(pattern);
  return readFile(await file.path());
};

test('a club registers and connects its payment account on the provider’s page', async () => {
  await page.goto('/admin/login');
  await waitUntilLoaded(page);
  await page.getByRole('tab', { name: 'Register Club' }).click();
  await page.getByLabel('Club name').fill(CLUB_NAME);
  await page.getByLabel('Email').fill(`${RUN_ID}@example.com`);
  await page.getByLabel('Phone').fill('0400 000 000');
  await page.getByLabel('Password', { exact: true }).fill('long-enough-word');
  await page.getByRole('button', { name: 'Register Club' }).click();
  await expect(page).toHaveURL(/\/club\/[\w-]+\/admin$/);
  clubSlug = /club\/([\w-]+)\/admin/.exec(page.url())?.[1] ?? '';
  await waitUntilLoaded(page);
  await expect(
    page.getByRole('listitem').getByText('Connect Stripe account first to create draws'),
  ).toBeVisible();
  await expectNoViolations(page, 'dashboard of a new club');
  await page.getByRole('button', { name: 'Connect Stripe account' }).first().click();
  await page.getByRole('button', { name: 'Complete onboarding' }).click();
  // The provider redirects to the server's configured public URL, whose host may differ from
  // `baseURL`. So the test opens the page again under `baseURL`.
  await page.waitForURL(/\/admin\/stripe-connect\/complete$/);
  await page.goto('/admin/stripe-connect/complete');
  await expect(page.getByRole('heading', { level: 1, name: 'Setup Complete!' })).toBeVisible();
  await expectNoViolations(page, 'setup complete');
  await page.getByRole('link', { name: 'Return to Dashboard' }).click();
  await expect(page.getByRole('link', { name: 'Create Draw' }).first()).toBeVisible();
});

test('a club confirms its e-mail address, which uploads require', async () => {
  const letter = await waitForMail(page.request, `${RUN_ID}@example.com`, 'verify');
  const link = new URL(
    /https?:\/\/\S+\/verify-email\?token=[0-9a-f]+/.exec(letter.text)?.[0] ?? '',
  );
  await page.goto(link.pathname + link.search);
  await expect(page.getByRole('heading', { level: 1, name: 'Email confirmed' })).toBeVisible();
});

test('a club’s page gets a name, a logo and colours, and is public at its new address', async () => {
  await openAdminPage('/home-page-setup');
  await page.getByLabel('Page name').fill(`shore-${RUN_ID}`);
  await page.getByLabel('Title', { exact: true }).fill('Shore Evening Club');
  await page.getByLabel('Tagline').fill('Football by the sea since 1921.');
  await page
    .getByLabel(/^Logo/)
    .setInputFiles({ name: 'logo.png', mimeType: 'image/png', buffer: LOGO_PNG });
  await expect(page.locator('.toast').filter({ hasText: 'Logo uploaded' })).toBeVisible();
  await page.getByRole('tab', { name: 'Preview' }).click();
  await expect(page.getByRole('region', { name: 'Preview' })).toContainText('Shore Evening Club');
  await expectNoViolations(page, 'preview');
  await page.getByRole('tab', { name: 'Edit' }).click();
  await page.getByRole('button', { name: 'Save home page' }).click();
  await expect(
    page.locator('.toast').filter({ hasText: 'Home page updated successfully' }),
  ).toBeVisible();
  clubSlug = `shore-${RUN_ID}`;
  await expect(page).toHaveURL(new RegExp(`/club/${clubSlug}/admin/home-page-setup$`));
  await page.goto(`/club/${clubSlug}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Shore Evening Club');
  const logo = page.locator('img[src*="/uploads/"]').first();
  await expect(logo).toBeVisible();
  expect(
    await logo.evaluate((image: HTMLImageElement) => image.decode().then(() => image.naturalWidth)),
  ).toBeGreaterThan(0);
});

test('a season is previewed from a table and then created whole', async () => {
  await openAdminPage('/create-draw');
  await page.getByRole('tab', { name: 'A season (CSV)' }).click();
  await expect(page.getByLabel('Contact name')).toHaveValue(CLUB_NAME);
  await expect(page.getByLabel('Contact phone')).toHaveValue('0400 000 000');
  await page.getByLabel('CSV file').setInputFiles({
    name: 'season.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(
      `date,kick-off,zone,home,away,league\n2098-03-06,15:00,Australia/Brisbane,${CLUB_NAME},Norths,A Grade\n2098-03-13,15:00,Australia/Brisbane,${CLUB_NAME},Souths,A Grade\n`,
    ),
  });
  await page.getByRole('button', { name: 'Preview' }).click();
  await expect(page.getByRole('heading', { name: '2 new of 2 games' })).toBeVisible();
  await expectNoViolations(page, 'fixtures preview');
  await page.getByRole('button', { name: 'Create 2 draws' }).click();
  const terms = page.getByRole('dialog', { name: 'Terms of Service' });
  await terms.getByLabel(/^I have read and agree/).check();
  await terms.getByRole('button', { name: 'Create 2 draws' }).click();
  await expect(page.locator('.toast').filter({ hasText: '2 draws created' })).toBeVisible();
  for (const away of ['Norths', 'Souths'])
    await expect(page.getByRole('article', { name: `${CLUB_NAME} v ${away}` })).toBeVisible();
});

test('an offer is drafted, refused with one game, activated with two and sold to the public', async () => {
  await openAdminPage('/bundles/new');
  await page.getByLabel('Name', { exact: true }).fill('Two by the sea');
  await page.getByRole('checkbox', { name: /Norths/ }).check();
  await page.getByRole('button', { name: 'Activate' }).click();
  await expect(page.locator('main [role="alert"]')).toContainText(/at least (2|two) games/);
  await expectNoViolations(page, 'offer with a problem');
  await page.getByRole('checkbox', { name: /Souths/ }).check();
  await page.getByRole('button', { name: 'Activate' }).click();
  await expect(
    page.locator('.toast').filter({ hasText: 'Two by the sea is on sale' }),
  ).toBeVisible();
  await page.goto(`/club/${clubSlug}/specials/two-by-the-sea`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Two by the sea');
  await openAdminPage('/bundles');
  await page.getByRole('button', { name: 'Actions for Two by the sea' }).click();
  await page.getByRole('menuitem', { name: 'Archive' }).click();
  await expect(page.getByRole('alertdialog')).toBeVisible();
  await expectNoViolations(page, 'archive an offer');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Archive' }).click();
  await expect(
    page.locator('.toast').filter({ hasText: 'Two by the sea is archived' }),
  ).toBeVisible();
});

test('poster, report and ticket data download as files', async ({ baseURL }) => {
  await openAdminPage('');
  const card = page.getByRole('article', { name: `${CLUB_NAME} v Norths` });
  await card.getByRole('button', { name: /^Actions/ }).click();
  await page.getByRole('menuitem', { name: 'Details' }).click();
  const poster = await downloadFile('Poster with QR code (PDF)', /\.pdf$/);
  expect(poster.subarray(0, 5).toString()).toBe('%PDF-');
  await page.keyboard.press('Escape');
  const number =
    /FD-(\d+)|results\/(\d+)/
      .exec(await card.innerHTML())
      ?.slice(1)
      .find(Boolean) ??
    String(
      (
        (await (await page.request.get(`/api/clubs/${clubSlug}/draws`)).json()) as {
          drawNumber: number;
          awayTeam: string;
        }[]
      ).find(({ awayTeam }) => awayTeam === 'Norths')?.drawNumber,
    );
  const entered = await page.request.post(`/api/draws/${number}/results`, {
    headers: { origin: new URL(baseURL ?? '').origin },
    data: { homeFirstTryScorer: 1, awayFirstTryScorer: 2 },
  });
  expect(entered.ok(), await entered.text()).toBe(true);
  await openAdminPage('');
  const done = page.getByRole('article', { name: `${CLUB_NAME} v Norths` });
  await expect(done.getByText('Completed', { exact: true })).toBeVisible();
  await done.getByRole('button', { name: /^Actions/ }).click();
  const report = await downloadFile('Download Report (PDF)', new RegExp(`${number}.*\\.pdf$`));
  expect(report.subarray(0, 5).toString()).toBe('%PDF-');
  await done.getByRole('button', { name: /^Actions/ }).click();
  const table = await downloadFile('Download Ticket Data (CSV)', new RegExp(`${number}.*\\.csv$`));
  expect([...table.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect(table.toString()).toContain('\r\n');
});
