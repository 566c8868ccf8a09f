import { expect, test, type Page } from '@playwright/test';
import { OPERATOR_WHOAMI, makeAdminClubs } from '../../src/testing/operator-data';
import { findAxeViolations } from '../support/axe';
import { CONSOLE_SECTIONS, stubConsole } from '../support/console';

const WINDOW_SIZES = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
];

async function waitUntilSectionLoaded(page: Page): Promise<void> {
  await expect(page.locator('h1').first()).toBeAttached();
  await expect(page.locator('[aria-busy="true"]')).toHaveCount(0);
}

const clickFirstButton = (page: Page, name: string | RegExp) =>
  page.getByRole('button', { name }).first().click();

/** Opens the menu of a draw's row and chooses one of its actions. */
async function chooseDrawAction(page: Page, action: string, serial = 'FD-1042') {
  await page.getByRole('button', { name: new RegExp(`^Actions for ${serial} `) }).click();
  await page.getByRole('menuitem', { name: new RegExp(`^${action}`) }).click();
}

/** Each dialog or panel of the console: name, section, and the steps that open it. */
const DIALOGS: readonly [string, string, (page: Page) => Promise<void>][] = [
  ['an anomaly', 'payments', (page) => clickFirstButton(page, 'Details')],
  [
    'a customer form with problems',
    'payments',
    async (page) => {
      await clickFirstButton(page, 'Details');
      await clickFirstButton(page, 'Allocate ticket and resolve');
    },
  ],
  ['a club', 'clubs', (page) => clickFirstButton(page, 'View Details')],
  ['a removal', 'waitlist', (page) => clickFirstButton(page, 'Remove')],
  ['tickets', 'draws', (page) => chooseDrawAction(page, 'View Tickets')],
  ['undo', 'draws', (page) => chooseDrawAction(page, 'Undo Results', 'FD-1045')],
  ['cancel', 'draws', (page) => chooseDrawAction(page, 'Cancel draw')],
  ['a moved kick-off', 'draws', (page) => chooseDrawAction(page, 'Move kick-off')],
  ['a recovery', 'orphans', (page) => clickFirstButton(page, 'Recover')],
  [
    'maintenance',
    'system',
    (page) => page.getByRole('switch', { name: 'Maintenance mode' }).click(),
  ],
  ['a new menu', 'system', (page) => clickFirstButton(page, 'New menu')],
];

/** Checks the page at the size of a phone and of a desk. */
async function findViolationsAtBothSizes(page: Page, what: string) {
  const found = [];
  for (const size of WINDOW_SIZES) {
    await page.setViewportSize(size);
    found.push(...(await findAxeViolations(page, `${what} at ${size.width}`)));
  }
  return found;
}

test('no section of the console has an axe violation at 390 and 1280', async ({ page }) => {
  test.setTimeout(180_000);
  await stubConsole(page);
  const found = [];
  for (const section of CONSOLE_SECTIONS) {
    await page.goto(`/super-admin?section=${section}`);
    await waitUntilSectionLoaded(page);
    found.push(...(await findViolationsAtBothSizes(page, section)));
  }
  await page.goto('/super-admin?section=transactions');
  await clickFirstButton(page, 'Details');
  await expect(page.getByRole('heading', { level: 2, name: /^Order/ })).toBeVisible();
  found.push(...(await findViolationsAtBothSizes(page, 'an order')));
  expect(found).toEqual([]);
});

for (const size of WINDOW_SIZES) {
  // A dialog is opened at each size, because a phone may open it as a sheet.
  test(`no dialog of the console has an axe violation at ${size.width}`, async ({ page }) => {
    test.setTimeout(240_000);
    await page.setViewportSize(size);
    await stubConsole(page);
    const found = [];
    for (const [what, section, open] of DIALOGS) {
      await page.goto(`/super-admin?section=${section}`);
      await waitUntilSectionLoaded(page);
      await open(page);
      await expect(page.getByRole('dialog').first()).toBeVisible();
      await expect(page.getByRole('dialog').locator('[aria-busy="true"]')).toHaveCount(0);
      found.push(...(await findAxeViolations(page, what)));
    }
    await page.goto('/super-admin');
    await waitUntilSectionLoaded(page);
    await page.keyboard.press('Control+k');
    found.push(...(await findAxeViolations(page, 'command menu')));
    await page.keyboard.press('Escape');
    await page.keyboard.press('?');
    found.push(...(await findAxeViolations(page, 'shortcuts')));
    expect(found).toEqual([]);
  });
}

test('the second login step and the error panel of a section have no axe violation', async ({
  page,
}) => {
  await stubConsole(page, {
    'GET /api/admin/whoami': { ...OPERATOR_WHOAMI, secondFactor: 'enrol' },
    'POST /api/admin/totp/enrol': {
      secret: 'JBSWY3DPEHPK3PXP',
      uri: 'otpauth://x',
      qrDataUrl:
        'data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=',
    },
  });
  await page.goto('/super-admin');
  await expect(page.getByText('JBSW Y3DP EHPK 3PXP')).toBeVisible();
  expect(await findAxeViolations(page, 'enrolment')).toEqual([]);
  await page.unrouteAll();
  await stubConsole(page, {
    'GET /api/stripe-debug': () => ({ status: 500, body: { message: 'No.' } }),
  });
  await page.goto('/super-admin?section=transactions');
  await expect(
    page.getByRole('heading', { name: 'Error Loading Stripe Transactions' }),
  ).toBeVisible();
  expect(await findAxeViolations(page, 'error panel')).toEqual([]);
});

test('nothing scrolls sideways at 320, and every target is large enough for its device', async ({
  page,
}) => {
  test.setTimeout(120_000);
  await stubConsole(page);
  const tooSmall = (least: number) =>
    page.evaluate(
      (min) =>
        [...document.querySelectorAll<HTMLElement>('.ops button, .ops a, .ops input, .ops select')]
          .filter(
            (target) =>
              target.offsetParent !== null &&
              !target.closest('.ops-cell p') &&
              getComputedStyle(target).display !== 'inline',
          )
          .map((target) =>
            target instanceof HTMLInputElement ? (target.closest('label') ?? target) : target,
          )
          .map((target) => ({
            html: target.outerHTML.slice(0, 110),
            box: target.getBoundingClientRect(),
          }))
          .filter(({ box }) => box.height < min - 0.5 || box.width < Math.min(min, 24) - 0.5)
          .map(({ html, box }) => `${Math.round(box.width)}×${Math.round(box.height)} ${html}`),
      least,
    );
  for (const section of CONSOLE_SECTIONS) {
    await page.setViewportSize({ width: 320, height: 640 });
    await page.goto(`/super-admin?section=${section}`);
    await waitUntilSectionLoaded(page);
    expect
      .soft(await page.evaluate(() => document.documentElement.scrollWidth), section)
      .toBeLessThanOrEqual(320);
    await page.setViewportSize({ width: 390, height: 844 });
    expect.soft(await tooSmall(44), `${section} at 390`).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
    expect.soft(await tooSmall(24), `${section} at 1280`).toEqual([]);
    expect
      .soft(await page.evaluate(() => document.documentElement.scrollWidth), section)
      .toBeLessThanOrEqual(1280);
  }
});

test('a club name of 100 letters causes no overflow, and a phone shows each ticket as its own card', async ({
  page,
}) => {
  const [first, second, ...others] = makeAdminClubs();
  const long = [
    {
      ...first,
      name: 'Canterbury-Bankstown Bulldogs Rugby League Football Club Juniors and Friends of the Old Ground, 1908',
    },
    { ...second, name: 'Rockhamptonandcapricornianorthernsuburbsrugbyleaguefo' },
  ];
  await stubConsole(page, { 'GET /api/admin/clubs': [...long, ...others] });
  const beyond = (part: string) =>
    page.locator(part).evaluate((element) => element.scrollWidth - element.clientWidth);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    await page.goto('/super-admin?section=clubs');
    await waitUntilSectionLoaded(page);
    expect.soft(await beyond('html'), `clubs at ${width}`).toBeLessThanOrEqual(0);
    expect.soft(await beyond('.ops-table-card'), `their table at ${width}`).toBeLessThanOrEqual(0);
  }
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto('/super-admin?section=draws');
  await waitUntilSectionLoaded(page);
  await chooseDrawAction(page, 'View Tickets');
  await expect(page.getByRole('cell', { name: 'buyer0@example.com' }).first()).toBeVisible();
  expect(await beyond('.ops-scroll')).toBeLessThanOrEqual(0);
});

test('beside an open anomaly no status is cut off at 1280', async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await stubConsole(page);
  await page.goto('/super-admin?section=payments');
  await waitUntilSectionLoaded(page);
  await clickFirstButton(page, 'Details');
  await expect(page.getByText('Technical details')).toBeVisible();
  expect(
    await page.locator('.ops-table-card').evaluate((card) => card.scrollWidth - card.clientWidth),
  ).toBeLessThanOrEqual(0);
});
