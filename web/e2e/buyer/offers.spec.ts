import { expect, test, type Page } from '@playwright/test';
import {
  GOOD_CARD,
  expectTickets,
  fillCard,
  fillDetails,
  payButton,
  newBuyer,
} from '../support/buyer';
import { fetchListedDraw } from '../support/draws';
import {
  signedInClubRequest,
  createTestDraws,
  type TestDraw,
  type DrawOptions,
} from '../support/own-draw';

const cartDrawer = (page: Page) => page.getByRole('dialog', { name: 'Your cart' });
let bundlesCreated = 0;

/** Creates a bundle on sale, and its games, by the API calls that the club's screens make. */
async function createBundle(
  playwright: Parameters<typeof createTestDraws>[0],
  baseURL: string,
  games: readonly DrawOptions[],
  index = 0,
) {
  const draws = await createTestDraws(playwright, baseURL, games, index);
  const { calls, club } = await signedInClubRequest(playwright, baseURL, index);
  const slug = `weekend-${Date.now() % 1_000_000}-${++bundlesCreated}`;
  const said = {
    name: 'Weekend double',
    slug,
    status: 'active',
    type: 'BUNDLE',
    displayTag: 'Two games, one tap',
    primaryCopy: 'One payment.',
    gameIds: draws.map((draw) => draw.drawNumber),
  };
  const answer = await calls.post(`/api/admin/clubs/${club.slug}/bundles`, { data: said });
  expect(answer.ok(), await answer.text()).toBe(true);
  const { id } = (await answer.json()) as { id: number };
  const seen = async () =>
    (await (await calls.get(`/api/admin/clubs/${club.slug}/bundles/${id}`)).json()) as {
      status: string;
      ticketsSold: number;
    };
  return { club, slug, draws, seen, path: `/club/${club.slug}/specials/${slug}` };
}

const fetchTicketsSold = (
  request: Parameters<typeof fetchListedDraw>[0],
  draws: readonly TestDraw[],
) =>
  Promise.all(
    draws.map(async (draw) => (await fetchListedDraw(request, draw.drawNumber)).ticketsSold),
  );

test('an offer on its club’s page enters the cart whole, is paid once and counts as sold', async ({
  page,
  request,
  playwright,
  baseURL,
}) => {
  const offer = await createBundle(playwright, baseURL ?? '', [{}, { passStripeFees: true }]);
  await page.goto(`/club/${offer.club.slug}`);
  const card = page
    .getByRole('region', { name: 'Special offers' })
    .locator('article')
    .filter({ has: page.locator(`a[href="${offer.path}"]`) });
  await expect(card).toContainText('From $10.39');
  await card.getByRole('link', { name: /^See offer/ }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Weekend double');
  await page.getByRole('button', { name: 'One more' }).click();
  await page.locator('.offer-add:visible, .offer-bar:visible button').first().click();
  await expect(cartDrawer(page).locator('.cart-line')).toHaveCount(2);
  await cartDrawer(page).getByRole('button', { name: 'Checkout', exact: true }).click();
  await expect(page.locator('.timer-bar [role=timer]')).toBeVisible();
  await page.getByLabel('I confirm that I am 18 years or older').check();
  await page.getByLabel(/I accept the/).check();
  await fillDetails(page, newBuyer());
  await fillCard(page, GOOD_CARD);
  await expect(payButton(page)).toHaveText('Purchase Tickets - $20.47');
  await payButton(page).click();
  await expectTickets(page, 4);
  await expect(page.locator('.receipt-card')).toContainText('$20.47');
  expect(await fetchTicketsSold(request, offer.draws)).toEqual([2, 2]);
  await expect
    .poll(async () => await offer.seen())
    .toMatchObject({ status: 'locked', ticketsSold: 2 });
  // An offer with a sale can no longer be edited, but other buyers can still buy it.
  await page.goto(offer.path);
  await expect(page.locator('.offer-add:visible, .offer-bar:visible button').first()).toBeVisible();
});

test('the stepper of an offer stops at the limit of one purchase and says why', async ({
  page,
  playwright,
  baseURL,
}) => {
  const offer = await createBundle(playwright, baseURL ?? '', [{}, {}, {}]);
  await page.goto(offer.path);
  await page.getByRole('spinbutton').focus();
  await page.keyboard.press('End');
  await expect(page.getByRole('spinbutton')).toHaveText('33');
  await expect(page.getByText('At most 99 tickets in one purchase.')).toBeVisible();
  await page.locator('.offer-add:visible, .offer-bar:visible button').first().click();
  await cartDrawer(page).getByRole('button', { name: 'Checkout', exact: true }).click();
  await expect(page.locator('.timer-bar [role=timer]')).toBeVisible();
});

test('an offer with a sold-out game has no button that adds it, and marks the game', async ({
  page,
  playwright,
  baseURL,
}) => {
  const offer = await createBundle(playwright, baseURL ?? '', [{}, { left: 0 }]);
  await page.goto(offer.path);
  const button = page.locator('.offer-add:visible, .offer-bar:visible button').first();
  await expect(button).toHaveText('Sold Out');
  await expect(button).toHaveAttribute('aria-disabled', 'true');
  await button.click({ force: true });
  await expect(cartDrawer(page)).toHaveCount(0);
  await expect(
    page.locator('.offer-games li').filter({ hasText: offer.draws[1]?.awayTeam ?? '' }),
  ).toContainText('Sold Out');
});

test('an offer of another club replaces the cart, and the change can be undone', async ({
  page,
  playwright,
  baseURL,
}) => {
  const [mine, other] = [
    await createBundle(playwright, baseURL ?? '', [{}, {}]),
    await createBundle(playwright, baseURL ?? '', [{}, {}], 1),
  ];
  const add = page.locator('.offer-add:visible, .offer-bar:visible button').first();
  await page.goto(mine.path);
  await add.click();
  await expect(cartDrawer(page).locator('.cart-line')).toHaveCount(2);
  await page.goto(other.path);
  await add.click();
  await expect(page.getByText('Your cart was replaced')).toBeVisible();
  await expect(cartDrawer(page)).toHaveCount(0);
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: /^Cart,/ }).click();
  for (const draw of mine.draws) await expect(cartDrawer(page)).toContainText(draw.awayTeam);
});

test('the short link and both addresses of an offer open the same page, and a closed offer says so', async ({
  page,
  playwright,
  baseURL,
}) => {
  const offer = await createBundle(playwright, baseURL ?? '', [{ startsIn: 6 }, {}]);
  await page.goto(`/w/bundle:${offer.club.slug}/${offer.slug}?loc=bar`);
  await expect(page).toHaveURL(new RegExp(`${offer.path}\\?src=widget.*loc=bar`));
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Weekend double');
  await page.goto(`/club/${offer.club.slug}/offer/${offer.slug}`);
  await expect(page.getByText('Bundle closed')).toBeVisible();
  await expect(page.getByText('Game started', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Add to cart' })).toHaveCount(0);
});
