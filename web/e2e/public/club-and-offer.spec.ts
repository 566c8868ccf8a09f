import { expect, test, type Page } from '@playwright/test';
import { listActiveDraws } from '../support/draws';
import { openStartedPage } from '../support/started-page';
import { makeStubOffer, serveOffer } from '../support/offers';
import { stubResponse, changeResponse, changeBootData } from '../support/stubs';

const firstClubSlug = async (request: Parameters<typeof listActiveDraws>[0]) =>
  (await listActiveDraws(request))[0]?.clubSlug ?? '';

async function changeClubResponses(page: Page, more: object): Promise<void> {
  await changeBootData(page, (boot) =>
    boot.club ? { ...boot, club: { ...(boot.club as object), ...more } } : boot,
  );
  await changeResponse(page, /\/api\/clubs\/slug\//, (club: object) => ({ ...club, ...more }));
}

test('an old address is replaced by the current one without a history entry', async ({
  page,
  request,
}) => {
  const slug = await firstClubSlug(request);
  await page.goto('/');
  await page.goto(`/club/${slug.toUpperCase()}?from=poster#live-draws`);
  await expect(page).toHaveURL(new RegExp(`/club/${slug}\\?from=poster#live-draws$`));
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/\/$/);
});

test('a missing slug, an unknown club and a failing server each have their own text', async ({
  page,
}) => {
  await page.goto('/club');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Invalid Club Page');
  const answered = await page.goto('/club/nobody-here');
  expect(answered?.status()).toBe(404);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page Not Found');
  await expect(page.getByText('Club page not found')).toBeVisible();
  await stubResponse(page, /\/api\/clubs\/slug\//, { message: 'down' }, 500);
  await page.reload();
  await expect(page.getByText('Failed to load club page')).toBeVisible();
});

test('a club without any draw shows Coming Soon, and a club between games says that no draw is active', async ({
  page,
  request,
}) => {
  const slug = await firstClubSlug(request);
  await changeClubResponses(page, { activeDraws: [], completedDraws: [] });
  await stubResponse(page, /\/api\/(draws\/awaiting-results|clubs\/[^/]+\/(draws|bundles))/, []);
  await page.goto(`/club/${slug}`);
  await expect(page.getByText('Coming Soon')).toBeVisible();
  await page.unrouteAll();
  await changeClubResponses(page, { activeDraws: [] });
  await page.reload();
  await expect(page.getByText('No active draws right now')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Recent Results' })).toBeVisible();
  expect(
    await page.getByRole('region', { name: 'Recent Results' }).locator('article').count(),
  ).toBeLessThanOrEqual(6);
});

test('the marketing pixel loads only after Allow, and the answer is stored', async ({
  page,
  request,
}) => {
  const slug = await firstClubSlug(request);
  const pixels: string[] = [];
  await page.route('https://www.facebook.com/**', (route) => {
    pixels.push(route.request().url());
    return route.fulfill({ status: 200, contentType: 'image/gif', body: '' });
  });
  await changeClubResponses(page, { facebookPixelId: '123456789012345' });
  await page.goto(`/club/${slug}`);
  const bar = page.getByRole('region', { name: 'Cookies' });
  await expect(bar).toBeVisible();
  expect((await bar.boundingBox())?.height).toBeLessThanOrEqual(72);
  await bar.getByRole('button', { name: 'Decline' }).click();
  await expect(bar).toHaveCount(0);
  expect(await page.evaluate(() => localStorage.getItem('marketing_consent'))).toBe('false');
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(bar).toHaveCount(0);
  expect(pixels).toEqual([]);
  await page.evaluate(() => localStorage.removeItem('marketing_consent'));
  await page.reload();
  await bar.getByRole('button', { name: 'Allow' }).click();
  await expect.poll(() => pixels.length).toBe(1);
  expect(pixels[0]).toContain('id=123456789012345&ev=PageView');
  expect(await page.evaluate(() => localStorage.getItem('marketing_consent'))).toBe('true');
});

test('a club without a pixel shows no consent question', async ({ page, request }) => {
  await page.goto(`/club/${await firstClubSlug(request)}`);
  await expect(page.getByRole('heading', { name: 'Need Help?' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Cookies' })).toHaveCount(0);
});

test('offers on sale are listed with their price, and other offers are not', async ({
  page,
  request,
}) => {
  const offer = await makeStubOffer(request);
  await serveOffer(page, offer);
  const later = new Date(Date.now() + 3_600_000).toISOString();
  await stubResponse(page, `/api/clubs/${offer.clubSlug}/bundles`, [
    offer,
    { ...offer, id: 2, slug: 'later', name: 'Later', startAt: later },
    { ...offer, id: 3, slug: 'draft', name: 'Draft', status: 'draft' },
  ]);
  await page.goto(`/club/${offer.clubSlug}`);
  const section = page.getByRole('region', { name: 'Special offers' });
  await expect(section.locator('article')).toHaveCount(1);
  await expect(section).toContainText(/From \$\d+\.\d\d/);
  await section.getByRole('link', { name: /See offer/ }).click();
  await expect(page).toHaveURL(new RegExp(`${offer.path}$`));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Double header');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();
});

test('an offer enters the cart whole with the chosen count, and its events are counted', async ({
  page,
  request,
}) => {
  const events: unknown[] = [];
  await page.route('**/api/track', (route) => {
    events.push(route.request().postDataJSON());
    return route.fulfill({ status: 204 });
  });
  const offer = await makeStubOffer(request);
  await serveOffer(page, offer);
  await openStartedPage(page, offer.path);
  await page.getByRole('button', { name: 'One more' }).click();
  await page.getByRole('button', { name: 'Add to cart' }).click();
  const drawer = page.getByRole('dialog', { name: 'Your cart' });
  await expect(drawer.locator('.cart-line')).toHaveCount(2);
  await expect(drawer.getByRole('spinbutton').first()).toHaveText('2');
  const kept = await page.evaluate(
    () =>
      JSON.parse(localStorage.getItem('football_doubles_cart') ?? '{}') as {
        items: { drawId: number; quantity: number; bundleId: number }[];
      },
  );
  expect(
    kept.items.map(({ drawId, quantity, bundleId }) => ({ drawId, quantity, bundleId })),
  ).toEqual(offer.games.map((game) => ({ drawId: game.id, quantity: 2, bundleId: 77 })));
  const about = { clubSlug: offer.clubSlug, bundleSlug: 'double-header' };
  expect(events).toEqual([
    { event: 'offer_view', ...about },
    { event: 'offer_add_to_cart', ...about },
  ]);
});

test('with one game sold out meanwhile nothing enters the cart, and the message names the game', async ({
  page,
  request,
}) => {
  const offer = await makeStubOffer(request);
  const [, second] = offer.games;
  await serveOffer(page, offer);
  await openStartedPage(page, offer.path);
  await expect(page.getByRole('button', { name: 'Add to cart' })).toBeEnabled();
  await changeResponse(page, new RegExp(`/api/draws/${second?.id}$`), (draw: object) => ({
    ...draw,
    ticketsAvailable: 0,
    ticketsSold: 169,
  }));
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await expect(page.getByRole('alert')).toHaveText(
    `${second?.homeTeam} v ${second?.awayTeam} is sold out, so this offer cannot be added.`,
  );
  await expect(page.getByRole('dialog', { name: 'Your cart' })).toHaveCount(0);
  expect(await page.evaluate(() => localStorage.getItem('football_doubles_cart'))).toBeNull();
  await page.unrouteAll();
  await serveOffer(page, offer);
  await openStartedPage(page, offer.path);
  await expect(page.getByRole('button', { name: 'Add to cart' })).toBeEnabled();
  await page.route(/\/api\/draws\/\d+$/, (route) => route.abort());
  await page.getByRole('button', { name: 'Add to cart' }).click();
  await expect(page.getByRole('alert')).toContainText('Failed to fetch draw');
  expect(await page.evaluate(() => localStorage.getItem('football_doubles_cart'))).toBeNull();
});

for (const [text, more] of [
  ['Bundle closed', { status: 'closed' }],
  ['Special Offer Not Found', { status: 'draft' }],
  ['Special Offer Not Found', { endAt: '2020-01-01T00:00:00Z' }],
  ['Not on sale yet', { startAt: '2099-01-01T00:00:00Z' }],
] as const) {
  test(`an offer with ${JSON.stringify(more)} says '${text}' and cannot be bought`, async ({
    page,
    request,
  }) => {
    const offer = await makeStubOffer(request, more);
    await serveOffer(page, offer);
    await openStartedPage(page, offer.path);
    await expect(page.getByText(text)).toBeVisible();
    await expect(page.getByRole('button', { name: 'Add to cart' })).toHaveCount(0);
  });
}

test('an unknown offer and a failing call have their own texts', async ({ page, request }) => {
  const slug = await firstClubSlug(request);
  await stubResponse(page, /\/bundles\/nothing$/, { message: 'no' }, 404);
  await page.goto(`/club/${slug}/offer/nothing`);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Special Offer Not Found');
  await page.unrouteAll();
  await stubResponse(page, /\/bundles\/nothing$/, { message: 'no' }, 500);
  await page.reload();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Failed to load bundles');
});

test('an offer still sells when the club’s colours cannot be loaded', async ({ page, request }) => {
  const offer = await makeStubOffer(request);
  await serveOffer(page, offer);
  await stubResponse(page, `/api/clubs/${offer.clubSlug}/meta`, { message: 'no' }, 500);
  await openStartedPage(page, offer.path);
  await expect(page.getByText('Failed to load club meta')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Add to cart' })).toBeVisible();
});

test('a club shows its goal, its photo and its sponsor, and none of them without data', async ({
  page,
  request,
}) => {
  const slug = await firstClubSlug(request);
  const hero = page.locator('.club-hero');
  const sponsor = page.getByRole('region', { name: 'Proudly supported by' });
  await changeClubResponses(page, {
    goalText: 'new boots for 90 juniors',
    goalAmount: '10000.00',
    raisedSoFar: '6420.00',
    photoUrl: '/assets/photo.jpg',
    sponsorName: 'Harbour Marine',
    sponsorLogoUrl: null,
  });
  await page.goto(`/club/${slug}`);
  await expect(hero).toContainText('64% of the way to new boots for 90 juniors');
  await expect(hero).toContainText('Raised so far$6,420');
  const bar = page.getByRole('progressbar', { name: 'Raised so far' });
  await expect(bar).toHaveAttribute('aria-valuenow', '64');
  await expect(hero.locator('.club-photo')).toHaveAttribute('src', '/assets/photo.jpg');
  await expect(sponsor).toContainText('Harbour Marine');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await changeClubResponses(page, {
    goalText: 'lights',
    goalAmount: '100.00',
    raisedSoFar: '250.00',
  });
  await page.goto(`/club/${slug}`);
  await expect(hero).toContainText('Goal reached: lights');
  await expect(bar).toHaveAttribute('aria-valuenow', '100');
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await changeClubResponses(page, {
    goalText: null,
    goalAmount: null,
    photoUrl: null,
    sponsorName: null,
  });
  await page.goto(`/club/${slug}`);
  await expect(page.getByRole('heading', { name: 'Need help?' })).toBeVisible();
  await expect(hero.locator('.club-goal, .club-photo')).toHaveCount(0);
  await expect(sponsor).toHaveCount(0);
});
