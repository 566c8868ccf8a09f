import { expect, test } from '@playwright/test';
import { fetchDemoClub, createClubDraw, waitUntilLoaded, signIn } from '../support/club';

test('a result is entered in four taps without scrolling on a phone', async ({ page, baseURL }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const club = await fetchDemoClub(page);
  await signIn(page, baseURL ?? '', club);
  const draw = await createClubDraw(page, baseURL ?? '', club);
  await page.goto(`/club/${club.slug}/admin/results/${draw}`);
  await waitUntilLoaded(page);
  let taps = 0;
  const tap = async (target: ReturnType<typeof page.locator>) => {
    const box = await target.boundingBox();
    expect(box, 'what is tapped can be seen').not.toBeNull();
    expect(
      (box?.y ?? -1) >= 0 && (box?.y ?? 0) + (box?.height ?? 0) <= 844,
      'without scrolling',
    ).toBe(true);
    await page.mouse.click(
      (box?.x ?? 0) + (box?.width ?? 0) / 2,
      (box?.y ?? 0) + (box?.height ?? 0) / 2,
    );
    taps += 1;
  };
  const keys = page.locator('.pad button');
  // The bar at the bottom must not cover a number key.
  const bar = await page.locator('.entry-bar').boundingBox();
  for (const key of await keys.all()) {
    const box = await key.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(bar?.y ?? 0);
  }
  await tap(keys.nth(6));
  await tap(keys.nth(8));
  await expect(page.locator('.pair-text')).toContainText('#7 & #9');
  await tap(page.locator('.entry-bar').getByRole('button', { name: 'Submit Results' }));
  const question = page.getByRole('alertdialog', { name: 'Are these the first try scorers?' });
  await expect(question).toBeVisible();
  await expect(question.locator('li strong')).toHaveText(['seven', 'nine']);
  await page.evaluate(() =>
    Promise.all(document.getAnimations().map((animation) => animation.finished.catch(() => {}))),
  );
  await tap(question.getByRole('button', { name: 'Announce seven and nine' }));
  await expect(page.getByRole('heading', { name: 'The result is in' })).toBeVisible();
  expect(taps).toBeLessThanOrEqual(4);
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  // The winning ticket is revealed only after kick-off, also to the club (decision E-6).
  await expect(page.getByText(/^The winning ticket is shown after kick-off, /)).toBeVisible();
  await expect(page.getByRole('button', { name: 'Notify Winner' })).toHaveCount(0);
});
