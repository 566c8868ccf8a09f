/** The club's desk: returning after a login, the sales chart, and finding a draw on a phone. */
import { readFile } from 'node:fs/promises';
import { expect, test, type Page } from '@playwright/test';
import { findAxeViolations } from '../support/axe';
import { createClubDraw, fetchDemoClub, signIn } from '../support/club';
import { contentWidth, smallTapTargets } from '../support/targets';

const PHONE_SIZE = { width: 390, height: 844 };
const DESKTOP_SIZE = { width: 1280, height: 900 };

async function expectAccessible(page: Page, what: string) {
  expect.soft(await findAxeViolations(page, what), what).toEqual([]);
  expect.soft(await smallTapTargets(page), `targets of ${what}`).toEqual([]);
}

async function logInByForm(page: Page, slug: string) {
  await page.getByLabel('Email').fill(`${slug}@demo.test`);
  await page.getByLabel('Password', { exact: true }).fill('demo-password');
  await page.getByRole('button', { name: 'Login' }).click();
}

/** Opens an entry of the first active draw's menu on the dashboard. */
async function openFromDrawMenu(page: Page, slug: string, entry: string) {
  await page.goto(`/club/${slug}/admin`);
  await page
    .getByRole('region', { name: 'Active Draws' })
    .getByRole('button', { name: /^Actions/ })
    .first()
    .click();
  await page.getByRole('menuitem', { name: entry }).click();
}

test('a deep link without a session goes to the login and comes back', async ({ page }) => {
  await page.setViewportSize(PHONE_SIZE);
  const club = await fetchDemoClub(page);
  const wanted = `/club/${club.slug}/admin/bundles`;
  await page.goto(wanted);
  await expect(page).toHaveURL(/\/admin\/login\?next=/);
  await expectAccessible(page, 'the login at 390');
  await page.getByRole('checkbox', { name: /^Stay signed in/ }).focus();
  await page.keyboard.press('Space');
  await logInByForm(page, club.slug);
  await expect(page).toHaveURL(wanted);
});

test('a link to the login cannot lead to another site', async ({ page, baseURL }) => {
  const club = await fetchDemoClub(page);
  await page.goto('/admin/login?next=//evil.example/admin');
  await logInByForm(page, club.slug);
  await expect(page).toHaveURL(`${baseURL ?? ''}/club/${club.slug}/admin`);
});

test('the details of a draw show its sales beside the last game’s', async ({ page, baseURL }) => {
  const club = await fetchDemoClub(page);
  await signIn(page, baseURL ?? '', club);
  for (const [name, size] of [
    ['390', PHONE_SIZE],
    ['1280', DESKTOP_SIZE],
  ] as const) {
    await page.setViewportSize(size);
    await openFromDrawMenu(page, club.slug, 'Details');
    const chart = page.getByRole('img', { name: /^Tickets sold over time/ });
    await expect(chart.locator('canvas')).toBeVisible();
    const table = page.getByText('Sales as a table');
    await table.focus();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('columnheader', { name: 'This game' })).toBeVisible();
    await expectAccessible(page, `the details at ${name}`);
  }
  await page.setViewportSize({ width: 320, height: 640 });
  await expect.poll(() => contentWidth(page)).toBeLessThanOrEqual(320);
});

test('a phone finds a draw by a part of its opponent’s name', async ({ page, baseURL }) => {
  await page.setViewportSize(PHONE_SIZE);
  const club = await fetchDemoClub(page);
  await signIn(page, baseURL ?? '', club);
  const created = await createClubDraw(page, baseURL ?? '', club);
  await page.goto(`/club/${club.slug}/admin`);
  const rows = page.locator('.draw-list .draw-item');
  await rows.first().waitFor();
  const search = page.getByLabel('Find a draw');
  // A phone shows the search from eight draws on.
  while (!(await search.isVisible())) {
    await createClubDraw(page, baseURL ?? '', club);
    await page.reload();
    await rows.first().waitFor();
  }
  const answer = await page.request.get(`/api/draws/${created}`);
  const { awayTeam } = (await answer.json()) as { awayTeam: string };
  await search.fill(awayTeam.slice(3).toUpperCase());
  await expect(rows).toHaveCount(1);
  await expect(rows).toHaveAttribute('aria-label', `${club.name} v ${awayTeam}`);
  await expectAccessible(page, 'the search at 390');
  await search.fill('no such game');
  await expect(page.getByText('No draw on sale matches.')).toBeVisible();
  await expect(rows).toHaveCount(0);
});

test('the season’s CSV template downloads with its columns', async ({ page, baseURL }) => {
  await page.setViewportSize(PHONE_SIZE);
  const club = await fetchDemoClub(page);
  await signIn(page, baseURL ?? '', club);
  await page.goto(`/club/${club.slug}/admin/create-draw`);
  await page.getByRole('tab', { name: 'A season (CSV)' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download a template' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('season-template.csv');
  const [head, example] = (await readFile(await download.path(), 'utf8')).split('\n');
  expect(head).toBe('\ufeffDate,Kick-off,State,Home team,Away team,League');
  expect(example?.split(',')).toHaveLength(6);
});

test('the share kit has texts, the story picture and the poster', async ({ page, baseURL }) => {
  const club = await fetchDemoClub(page);
  await signIn(page, baseURL ?? '', club);
  for (const [name, size] of [
    ['390', PHONE_SIZE],
    ['1280', DESKTOP_SIZE],
  ] as const) {
    await page.setViewportSize(size);
    await openFromDrawMenu(page, club.slug, 'Share kit');
    await expect(page.getByLabel('WhatsApp', { exact: true })).toHaveValue(/\/draw\/\d+$/);
    const story = page.getByRole('img', { name: /^Story picture of/ });
    await expect
      .poll(() => story.evaluate((one: HTMLImageElement) => [one.naturalWidth, one.naturalHeight]))
      .toEqual([1080, 1920]);
    await expectAccessible(page, `the share kit at ${name}`);
    await page.setViewportSize({ width: 320, height: 640 });
    await expect.poll(() => contentWidth(page)).toBeLessThanOrEqual(320);
  }
  const [poster] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Poster with QR code (PDF)' }).click(),
  ]);
  expect(poster.suggestedFilename()).toMatch(/^draw-\d+-poster\.pdf$/);
});
