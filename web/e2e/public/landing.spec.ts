import { expect, test, type Page } from '@playwright/test';
import { waitUntilStarted } from '../support/started-page';
import { READ_RETRIES, listActiveDraws, findDrawWithTickets } from '../support/draws';
import {
  stubResponse,
  changeBootData,
  changeDrawResponse,
  stubFailure,
  stubNoDraws,
} from '../support/stubs';

/** Shows the live draws that the list leaves out at first, if it leaves out any. */
async function showAllLiveDraws(page: Page): Promise<void> {
  const list = page.getByRole('region', { name: 'Live Draws' });
  await expect(list.getByRole('article').first()).toBeVisible();
  const button = list.getByRole('button', { name: /^Show all/ });
  await waitUntilStarted(page);
  if (await button.isVisible()) await button.click();
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('the menu opens, links to the sections and closes with Escape', async ({ page }) => {
    await page.goto('/');
    const menu = page.getByRole('button', { name: 'Menu' });
    await menu.click();
    const links = page.getByRole('navigation', { name: 'Menu' }).getByRole('link');
    await expect(links).toHaveText([
      'Home',
      'How It Works',
      'Find Draws',
      /^Support.+@/,
      /^Text \d/,
      'Club Login',
    ]);
    await expect(links.nth(3)).toHaveAttribute('href', /^mailto:.+@/);
    await expect(links.nth(4)).toHaveAttribute('href', /^sms:\d+$/);
    await expect(links.nth(5)).toHaveAttribute('href', '/admin/login');
    await page.keyboard.press('Escape');
    await expect(links).toHaveCount(0);
    await expect(menu).toBeFocused();
    await menu.click();
    await links.nth(1).click();
    await expect(page).toHaveURL(/#how-it-works$/);
    await expect(links).toHaveCount(0);
    await expect(
      page.getByRole('heading', { name: 'How Football Doubles Works' }),
    ).toBeInViewport();
  });

  test('only active draws have a share button, which copies match, prize and tickets sold', async ({
    page,
    request,
    context,
  }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await page.addInitScript(() => Object.defineProperty(navigator, 'share', { value: undefined }));
    const draw = await findDrawWithTickets(request, 1);
    await page.goto('/');
    const share = page.getByRole('button', { name: /^Share / });
    await showAllLiveDraws(page);
    expect(await share.count()).toBe(
      await page.locator('.draw-grid :is([data-state="open"], [data-state="soldOut"])').count(),
    );
    expect(await page.locator('[data-state="completed"] button[aria-label^="Share"]').count()).toBe(
      0,
    );
    await page.getByRole('button', { name: `Share ${draw.homeTeam} v ${draw.awayTeam}` }).click();
    await expect(page.locator('.toast')).toContainText('Copied to clipboard!');
    await expect(page.locator('.toast')).toContainText(
      'Share link and details have been copied. Paste in your messaging app.',
    );
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    expect(copied).toContain(`${draw.homeTeam} v ${draw.awayTeam}`);
    expect(copied).toContain(`${draw.ticketsSold}/169`);
    expect(copied).toContain(`/draw/${draw.drawNumber}`);
  });
});

test.describe('finding a draw on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 } });

  test('typing finds draws by team and clubs by name, and says how many', async ({
    page,
    request,
  }) => {
    const draw = await findDrawWithTickets(request, 1);
    await page.goto('/');
    const list = page.getByRole('region', { name: 'Live Draws' });
    await expect(list.getByRole('button', { name: /^Show all/ })).toBeVisible();
    await expect(list.locator('article:visible')).toHaveCount(3);
    await page.getByRole('searchbox').fill(draw.awayTeam.slice(0, 5));
    await expect(
      list.getByRole('article', { name: `${draw.homeTeam} v ${draw.awayTeam}` }).first(),
    ).toBeVisible();
    await expect(list.getByRole('status').first()).toContainText(/\d+ draws? for/);
    await page.getByRole('searchbox').fill(draw.clubName);
    await expect(list.getByRole('link', { name: draw.clubName }).first()).toHaveAttribute(
      'href',
      `/club/${draw.clubSlug}`,
    );
    await page.getByRole('searchbox').fill('no such team');
    await expect(list.getByRole('status').first()).toContainText('No draw for');
  });

  test('the page is at most five screens long, and its first sentence says ‘dealt at random’', async ({
    page,
  }) => {
    await page.goto('/');
    await expect(page.getByRole('heading', { name: 'Run a draw at your next game' })).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeLessThanOrEqual(
      5 * 844,
    );
    await expect(page.locator('.land-hero .wrap > p')).toHaveText(/^[^.]*dealt at random\./);
  });

  test('the text number stays in the header after a draw is opened from the list', async ({
    page,
  }) => {
    await page.goto('/');
    await page
      .getByRole('link', { name: /^Buy Now/ })
      .first()
      .click();
    await expect(page).toHaveURL(/\/draw\//);
    await expect(page.locator('.site-nav .sms-long')).toBeVisible();
    await expect(page.locator('.site-nav .sms-short')).toBeHidden();
  });

  test('a toast covers no control', async ({ page }) => {
    await page.addInitScript(() => {
      Object.defineProperty(navigator, 'share', { value: undefined });
      Object.defineProperty(navigator, 'clipboard', {
        value: { writeText: () => Promise.resolve() },
      });
    });
    await page.goto('/');
    await page
      .getByRole('button', { name: /^Share / })
      .nth(1)
      .click();
    const toast = page.locator('.toast');
    await expect(toast).toBeVisible();
    const covered = await toast.evaluate((shown) => {
      const box = shown.getBoundingClientRect();
      return [...document.querySelectorAll('a[href], button, input')]
        .filter((control) => !shown.contains(control))
        .filter((control) => {
          const one = control.getBoundingClientRect();
          return (
            one.height > 1 &&
            one.top < box.bottom &&
            one.bottom > box.top &&
            one.left < box.right &&
            one.right > box.left
          );
        })
        .map((control) => control.textContent);
    });
    expect(covered).toEqual([]);
  });
});

test.describe('on a desktop', () => {
  test.use({ viewport: { width: 1280, height: 800 } });

  test('no card has a share button, and the tooltip appears after 700 ms of hovering', async ({
    page,
  }) => {
    await page.clock.install();
    await page.goto('/');
    await expect(page.getByRole('button', { name: 'Buy Now' })).toHaveCount(0);
    await expect(page.getByRole('link', { name: /^Buy Now/ }).first()).toBeVisible();
    await expect(page.getByRole('button', { name: /^Share / })).toHaveCount(0);
    // Stops the browser's clock. It now advances only by `runFor`.
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
    await page.locator('[data-state="open"] .tip').first().hover();
    await page.clock.runFor(650);
    await expect(page.getByRole('tooltip')).toHaveCount(0);
    await page.clock.runFor(100);
    await expect(page.getByRole('tooltip')).toContainText('if all 169 tickets are sold');
    await page.mouse.move(0, 0);
    await expect(page.getByRole('tooltip')).toHaveCount(0);
  });

  test('sections appear in the specified order with the specified counts', async ({
    page,
    request,
  }) => {
    await page.goto('/');
    // The hero has a draw with a heading of its own, which is not a section.
    await expect(page.locator('main h2:not(.land-live-top)')).toHaveText([
      'Live Draws',
      'Awaiting Results',
      'Clubs',
      'How Football Doubles Works',
      'Recent Results',
      'Made for clubs and their supporters',
      'Run a draw at your next game',
    ]);
    const awaiting = (await (
      await request.get('/api/draws/awaiting-results', READ_RETRIES)
    ).json()) as unknown[];
    const completed = (await (
      await request.get('/api/draws/completed', READ_RETRIES)
    ).json()) as unknown[];
    await expect(page.locator('.count-badge')).toContainText(String(awaiting.length));
    await expect(
      page.getByRole('region', { name: 'Awaiting Results' }).locator('.badge'),
    ).toHaveText(awaiting.map(() => 'Results Pending'));
    await expect(page.getByRole('region', { name: 'Recent Results' })).toContainText(
      `${completed.length} completed draws in total`,
    );
    expect(
      await page.getByRole('region', { name: 'Recent Results' }).locator('article').count(),
    ).toBe(Math.min(9, completed.length));
    await expect(
      page.getByText('No setup fees • Cancel anytime • Full support included'),
    ).toBeVisible();
    await expect(page.getByRole('link', { name: 'Start Your First Draw' }).first()).toHaveAttribute(
      'href',
      '/admin/login',
    );
  });

  test('club names are cut at 15 characters, six clubs show a scroll hint, and a failed list hides the row', async ({
    page,
  }) => {
    const clubs = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        id: at,
        name: 'Western Ringtails RLFC',
        slug: `c${at}`,
        logoUrl: null,
        primaryColor: '#7a1230',
      }));
    await stubResponse(page, '/api/clubs/public-list', clubs(5));
    await page.goto('/');
    const row = page.getByRole('region', { name: 'Clubs', exact: true });
    await expect(row.getByRole('link').first()).toHaveAccessibleName('Western Ringtails RLFC');
    await expect(row.locator('.club-tile > span:last-child').first()).toHaveText(
      'Western Ringtai…',
    );
    await expect(row.getByText('Scroll sideways for more')).toHaveCount(0);
    await page.unrouteAll();
    await stubResponse(page, '/api/clubs/public-list', clubs(6));
    await page.reload();
    await expect(row.getByText('Scroll sideways for more')).toBeVisible();
    await page.unrouteAll();
    await stubFailure(page, '/api/clubs/public-list');
    await page.reload();
    await expect(page.locator('.site-foot')).toBeAttached();
    await expect(row).toHaveCount(0);
    await expect(page.getByRole('alert')).toHaveCount(0);
  });

  test('without draws the page says so, and a failed list can be retried', async ({ page }) => {
    await stubNoDraws(page);
    await page.goto('/');
    await expect(page.getByText('No active draws at the moment.')).toBeVisible();
    await expect(
      page.getByText('Check back soon for new fundraising opportunities!'),
    ).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Awaiting Results' })).toHaveCount(0);
    await page.unrouteAll();
    await changeBootData(page, (boot) => ({ ...boot, draws: undefined }));
    await stubFailure(page, '/api/draws/active');
    await page.reload();
    const liveDraws = page.getByRole('region', { name: 'Live Draws' });
    await expect(liveDraws.getByRole('alert')).toContainText('Failed to load draws');
    await expect(liveDraws.getByRole('article')).toHaveCount(0);
    await page.unrouteAll();
    await liveDraws.getByRole('button', { name: 'Retry' }).click();
    await expect(liveDraws.getByRole('article').first()).toBeVisible();
    await expect(liveDraws.getByRole('alert')).toHaveCount(0);
  });
});

const CLOSED_DRAW_STATES = [
  {
    says: 'Draw Closed',
    note: 'Game has started',
    more: { status: 'closed', gameDate: new Date(Date.now() - 3_600_000).toISOString() },
  },
  {
    says: 'Sold Out',
    note: 'All tickets purchased',
    more: { ticketsSold: 169, ticketsAvailable: 0 },
  },
  { says: 'Sold Out', note: 'All tickets purchased', more: { status: 'paused' } },
];

for (const { says, note, more } of CLOSED_DRAW_STATES) {
  test(`a draw with ${Object.keys(more).join(' and ')} changed says '${says}' and '${note}'`, async ({
    page,
    request,
  }) => {
    const draw = (await listActiveDraws(request)).at(-1);
    await changeDrawResponse(page, draw?.drawNumber ?? 0, more);
    await page.goto(`/club/${draw?.clubSlug}`);
    await page.goto('/');
    await showAllLiveDraws(page);
    const card = page.getByRole('article', { name: `${draw?.homeTeam} v ${draw?.awayTeam}` });
    await expect(card.locator('.closed-foot')).toContainText(
      says === 'Draw Closed' ? 'Game has started' : says,
    );
    await expect(card).toContainText(says === 'Draw Closed' ? /Draw Closed|Results Pending/ : says);
    await expect(card).toContainText(note);
    await expect(card.getByRole('link', { name: /^Buy Now/ })).toHaveCount(0);
  });
}

const COUNTDOWN_BANDS = [
  { hours: 0.5, band: 'red' },
  { hours: 5, band: 'orange' },
  { hours: 100, band: 'green' },
];

test('the countdown of a card uses the card’s own colours and always shows words', async ({
  page,
  request,
}) => {
  const draw = (await listActiveDraws(request)).at(-1);
  for (const { hours, band } of COUNTDOWN_BANDS) {
    await page.unrouteAll();
    await changeDrawResponse(page, draw?.drawNumber ?? 0, {
      gameDate: new Date(Date.now() + hours * 3_600_000).toISOString(),
    });
    await page.goto('/');
    await showAllLiveDraws(page);
    const pill = page
      .getByRole('article', { name: `${draw?.homeTeam} v ${draw?.awayTeam}` })
      .getByRole('timer');
    await expect(pill).toHaveClass(new RegExp(`band-${band}`));
    await expect(pill).toContainText('to kick-off, ');
  }
});

test('filters keep the draws that they count, and one choice replaces the other', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto('/');
  const list = page.getByRole('region', { name: 'Live Draws' });
  const filters = list.getByRole('group', { name: 'Filter the draws' }).getByRole('button');
  await expect(filters.first()).toHaveAttribute('aria-pressed', 'true');
  const texts = await filters.allTextContents();
  expect(texts.length).toBeGreaterThan(1);
  for (const [at, text] of texts.entries()) {
    await filters.nth(at).click();
    await expect(list.locator('[aria-pressed=true]')).toHaveCount(1);
    await showAllLiveDraws(page);
    await expect(list.getByRole('article')).toHaveCount(Number(/\d+(?= draws?$)/.exec(text)?.[0]));
  }
});

test('the hero shows the draw with the biggest prize on sale, and leads to it', async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto('/');
  const hero = page.getByRole('complementary', { name: 'A live draw' });
  const prize = async (card: ReturnType<Page['locator']>) =>
    Number((await card.locator('.prize dd').textContent())?.replace(/[$,]/g, ''));
  const shown = await prize(hero);
  await showAllLiveDraws(page);
  const cards = page
    .getByRole('region', { name: 'Live Draws' })
    .getByRole('article')
    .filter({ has: page.getByRole('link', { name: /^Buy Now/ }) });
  const prizes = await Promise.all((await cards.all()).map(prize));
  expect(shown).toBe(Math.max(...prizes));
  await hero.getByRole('link', { name: /^Buy Now/ }).click();
  await expect(page).toHaveURL(/\/draw\/\d+$/);
});
