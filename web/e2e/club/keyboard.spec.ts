import { expect, test } from '@playwright/test';
import { fetchDemoClub, createClubDraw, waitUntilLoaded, signIn } from '../support/club';
import { tabTo } from '../support/keys';

for (const size of [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
]) {
  test(`a draw can be created with the keyboard alone at ${size.width}`, async ({
    page,
    baseURL,
  }) => {
    await page.setViewportSize(size);
    const club = await fetchDemoClub(page, 1);
    await signIn(page, baseURL ?? '', club);
    await page.goto(`/club/${club.slug}/admin/create-draw`);
    await waitUntilLoaded(page);
    const away = `Keys ${Date.now() % 1_000_000}`;
    await tabTo(page, /^Home team/);
    await page.keyboard.type('Sharks');
    await tabTo(page, /^Away team/);
    await page.keyboard.type(away);
    await tabTo(page, /^Game date/);
    const date = page.getByLabel('Game date');
    await page.keyboard.type(
      (await date.evaluate(() => new Intl.DateTimeFormat().resolvedOptions().locale)).startsWith(
        'en-US',
      )
        ? '03062099'
        : '06032099',
    );
    if ((await date.inputValue()) === '') await page.keyboard.type('03062099');
    await tabTo(page, /^Contact name/);
    await page.keyboard.type('Kim');
    await tabTo(page, /^Contact phone/);
    await page.keyboard.type('0400 000 000');
    await page.keyboard.press('Enter');
    const terms = page.getByRole('dialog', { name: 'Terms of Service' });
    // The dialog refuses an agreement until the text of the terms has loaded.
    await expect(terms.getByText('Questions go to our support address.')).toBeVisible();
    await tabTo(page, /^I have read and agree/);
    await page.keyboard.press('Space');
    await tabTo(page, /^Create Draw$/);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(new RegExp(`/club/${club.slug}/admin$`));
    await expect(page.getByRole('article', { name: `Sharks v ${away}` })).toBeVisible();
  });
}

test('a result can be entered with the keyboard alone', async ({ page, baseURL }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const club = await fetchDemoClub(page, 1);
  await signIn(page, baseURL ?? '', club);
  const draw = await createClubDraw(page, baseURL ?? '', club);
  await page.goto(`/admin/results/${draw}`);
  await waitUntilLoaded(page);
  await tabTo(page, /^7$/);
  await page.keyboard.press('Enter');
  // The same keys now set the away team's number.
  await tabTo(page, /^9/);
  await page.keyboard.press('Enter');
  await tabTo(page, /^Submit Results$/);
  await page.keyboard.press('Enter');
  // The button that goes back has the focus first, because Enter must not confirm by accident.
  await expect(
    page.getByRole('alertdialog').getByRole('button', { name: 'Change a number' }),
  ).toBeFocused();
  await tabTo(page, /^Announce seven and nine$/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'The result is in' })).toBeVisible();
});
