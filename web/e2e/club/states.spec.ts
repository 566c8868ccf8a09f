import { expect, test, type Page } from '@playwright/test';
import { findAxeViolations } from '../support/axe';
import { findClubDraws, fetchDemoClub, signIn, type DemoClub } from '../support/club';
import type { ClubScreenContext } from '../support/club-stage';
import { CLUB_STATES } from '../support/club-states';
import { keyboardProblems } from '../support/keys';
import { smallTapTargets, contentWidth } from '../support/targets';

const PHONE_SIZE = { width: 390, height: 844 };
const DESKTOP_SIZE = { width: 1280, height: 800 };

let savedLogin: Awaited<ReturnType<ReturnType<Page['context']>['storageState']>>;
let club: DemoClub;
let draws: ClubScreenContext['draws'];

test.beforeAll(async ({ browser, baseURL }) => {
  const page = await browser.newPage();
  club = await fetchDemoClub(page);
  await signIn(page, baseURL ?? '', club);
  draws = await findClubDraws(page, club);
  savedLogin = await page.context().storageState();
  await page.close();
});

for (const { name, wide, loggedOut, show } of CLUB_STATES) {
  test(`${name} passes axe at 390 and 1280, fits 320 px, and works by touch and keyboard alone`, async ({
    browser,
    playwright,
    baseURL,
  }) => {
    const page = await browser.newPage({
      viewport: wide ? DESKTOP_SIZE : PHONE_SIZE,
      ...(loggedOut ? {} : { storageState: savedLogin }),
    });
    await show({ page, playwright, baseURL: baseURL ?? '', club, draws });
    if (!wide) {
      expect.soft(await findAxeViolations(page, name), 'axe at 390').toEqual([]);
      expect.soft(await smallTapTargets(page), 'targets').toEqual([]);
      expect.soft(await keyboardProblems(page), 'keys at 390').toEqual([]);
    }
    await page.setViewportSize(DESKTOP_SIZE);
    expect.soft(await findAxeViolations(page, name), 'axe at 1280').toEqual([]);
    if (wide) expect.soft(await keyboardProblems(page), 'keys at 1280').toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    // Polls, because React changes the header after the window has become narrow.
    await expect.soft
      .poll(() => contentWidth(page), { message: 'width at 320' })
      .toBeLessThanOrEqual(320);
    await page.close();
  });
}
