/**
 * The public pages on which nothing is bought, in each of their states. Used for screenshots and by
 * `public/rules.spec.ts`.
 */
import { expect, type APIRequestContext, type Page } from '@playwright/test';
import { READ_RETRIES, listActiveDraws, findCompletedDraw, type ListedDraw } from './draws';
import { makeStubOffer, serveOffer } from './offers';
import {
  stubResponse,
  changeResponse,
  changeBootData,
  changeDrawResponse,
  stubFailure,
  stubMaintenance,
  stubNoDraws,
  blockSockets,
} from './stubs';

export interface PublicScreen {
  name: string;
  path: string;
  /** Runs before the browser opens `path`, for example to stub server answers. */
  before?: (page: Page) => Promise<void>;
  /** Runs after the page has opened, before the page is checked. */
  after?: (page: Page) => Promise<void>;
  /** Whether the page is a board for a large screen, such as a television. */
  board?: boolean;
}

const hoursFromNow = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

export async function publicScreens(request: APIRequestContext): Promise<PublicScreen[]> {
  return [
    ...landingScreens(),
    ...(await clubPageScreens(request)),
    ...(await drawScreens(request)),
    ...(await offerScreens(request)),
    ...(await boardScreens(request)),
    ...(await proofScreens(request)),
    ...otherScreens(),
  ];
}

function landingScreens(): PublicScreen[] {
  const clubs = Array.from({ length: 9 }, (_, at) => ({
    id: at + 1,
    name: ['Bayside Barracudas', 'Norths', 'Western Ringtails RLFC'][at % 3],
    slug: 'bayside-barracudas',
    logoUrl: null,
    primaryColor: ['#0b2e6b', '#ffeb3b', '#7a1230'][at % 3],
  }));
  return [
    { name: 'landing', path: '/' },
    {
      name: 'landing-menu',
      path: '/',
      after: async (page) => {
        const menu = page.getByRole('button', { name: 'Menu' });
        if (await menu.isVisible()) await menu.click();
      },
    },
    { name: 'landing-empty', path: '/', before: stubNoDraws },
    { name: 'landing-maintenance', path: '/', before: stubMaintenance },
    {
      name: 'landing-many-clubs',
      path: '/',
      before: (page) => stubResponse(page, '/api/clubs/public-list', clubs),
    },
    {
      name: 'landing-draws-failed',
      path: '/',
      before: async (page) => {
        await changeBootData(page, (boot) => ({ ...boot, draws: undefined }));
        await stubFailure(page, /\/api\/draws\/(active|awaiting-results|completed)$/);
        await stubFailure(page, '/api/clubs/public-list');
        await stubFailure(page, '/api/footer-menus');
      },
      after: (page) => page.getByText('Failed to load draws').waitFor(),
    },
  ];
}

async function clubPageScreens(request: APIRequestContext): Promise<PublicScreen[]> {
  const slugs = [...new Set((await listActiveDraws(request)).map((draw) => draw.clubSlug))];
  const slug = slugs[0] ?? '';
  const withPixel = async (page: Page) => {
    await changeBootData(page, (boot) => ({
      ...boot,
      club: { ...(boot.club as object), facebookPixelId: '123456789012345' },
    }));
    await changeResponse(page, /\/api\/clubs\/slug\//, (club: object) => ({
      ...club,
      facebookPixelId: '123456789012345',
    }));
  };
  const empty = async (page: Page) => {
    await changeBootData(page, (boot) => ({
      ...boot,
      club: { ...(boot.club as object), activeDraws: [], completedDraws: [] },
    }));
    await changeResponse(page, /\/api\/clubs\/slug\//, (club: object) => ({
      ...club,
      activeDraws: [],
      completedDraws: [],
    }));
    await stubResponse(page, /\/api\/(draws\/awaiting-results|clubs\/[^/]+\/(draws|bundles))/, []);
  };
  const offer = await makeStubOffer(request);
  return [
    ...slugs.map((each, at) => ({ name: `club-${at + 1}`, path: `/club/${each}` })),
    {
      name: 'club-offers',
      path: `/club/${offer.clubSlug}`,
      before: (page) => serveOffer(page, offer),
    },
    { name: 'club-consent', path: `/club/${slug}`, before: withPixel },
    { name: 'club-coming-soon', path: `/club/${slug}`, before: empty },
    {
      name: 'club-failing-parts',
      path: `/club/${slug}`,
      before: async (page) => {
        await page.clock.install();
        await stubFailure(page, /\/api\/clubs\/[^/]+\/(draws|bundles)/);
      },
      after: (page) => page.clock.fastForward(16_000),
    },
    { name: 'club-not-found', path: '/club/nobody-here' },
    {
      name: 'club-failed',
      path: '/club/nobody-here',
      before: (page) => stubFailure(page, /\/api\/clubs\/slug\//, 500),
    },
    { name: 'club-unnamed', path: '/club' },
  ];
}

async function offerScreens(request: APIRequestContext): Promise<PublicScreen[]> {
  const offer = await makeStubOffer(request);
  const state = async (
    name: string,
    more: Record<string, unknown>,
    after?: PublicScreen['after'],
  ): Promise<PublicScreen> => {
    const said = await makeStubOffer(request, more);
    return {
      name: `offer-${name}`,
      path: said.path,
      before: (page) => serveOffer(page, said),
      after,
    };
  };
  const first = offer.games[0];
  return [
    await state('open', {}),
    await state('special', { ...(await makeStubOffer(request, {}, 1)), name: 'Friday special' }),
    await state('closed', { status: 'closed' }),
    await state('scheduled', { startAt: hoursFromNow(5) }),
    await state('ended', { endAt: hoursFromNow(-1) }),
    await state('draft', { status: 'draft' }),
    await state('long', {
      name: 'Grand Final Weekend Double Header With Everything',
      displayTag:
        'Best value of the season for everybody who comes to both of our games this weekend and brings a friend along',
      clubName: 'Western Suburbs District Junior Rugby League Football Club',
    }),
    await state('added', {}, async (page) => {
      await page.locator('.offer-add:visible, .offer-bar:visible button').first().click();
      await page.getByRole('dialog').waitFor();
    }),
    {
      name: 'offer-refused',
      path: offer.path,
      before: (page) => serveOffer(page, offer),
      after: async (page) => {
        const add = page.locator('.offer-add:visible, .offer-bar:visible button').first();
        await expect(add).toBeEnabled();
        // A game is sold out after the page has read it.
        await changeResponse(page, new RegExp(`/api/draws/${first?.id}$`), (draw: object) => ({
          ...draw,
          ticketsAvailable: 0,
          ticketsSold: 169,
        }));
        await add.click();
      },
    },
    {
      name: 'offer-not-found',
      path: `/club/${offer.clubSlug}/specials/nothing-here`,
      before: (page) => stubFailure(page, /\/bundles\/nothing-here/, 404),
    },
    {
      name: 'offer-failed',
      path: `/club/${offer.clubSlug}/offer/nothing-here`,
      before: (page) => stubFailure(page, /\/bundles\/nothing-here/, 500),
    },
    {
      name: 'offer-maintenance',
      path: offer.path,
      before: async (page) => {
        await serveOffer(page, offer);
        await stubMaintenance(page);
      },
    },
  ];
}

async function boardScreens(request: APIRequestContext): Promise<PublicScreen[]> {
  const draws = await listActiveDraws(request);
  const open = draws.find(
    (draw) => draw.ticketsAvailable > 0 && Date.parse(draw.gameDate) - Date.now() > 3_600_000,
  );
  const awaiting = (
    (await (await request.get('/api/draws/awaiting-results', READ_RETRIES)).json()) as ListedDraw[]
  )[0];
  const completed = (await (
    await request.get('/api/draws/completed', READ_RETRIES)
  ).json()) as (ListedDraw & { winningTicketSold: boolean | null })[];
  const unsold = completed.find((draw) => draw.winningTicketSold === false);
  const sold = completed.find((draw) => draw.winningTicketSold === true);
  const n = open?.drawNumber ?? 0;
  const at = (number: number | undefined, query = '') => `/draw/${number}/display${query}`;
  const board = (name: string, path: string, before?: PublicScreen['before']): PublicScreen => ({
    name: `board-${name}`,
    path,
    before,
    board: true,
  });
  const as = (more: Record<string, unknown>) => (page: Page) => changeDrawResponse(page, n, more);
  const long = {
    homeTeam: 'Western Suburbs District Rosellas',
    awayTeam: 'Northern Peninsula Area Crocodiles',
    currentPrize: '12430.00',
    ticketsSold: 169,
  };
  const offer = await makeStubOffer(request);
  const withOffer = (more: Record<string, unknown>) => async (page: Page) =>
    serveOffer(page, { ...offer, ...more });
  const offerBoard = `/club/${offer.clubSlug}/specials/${offer.slug}/display`;
  return [
    board('open', at(n)),
    board('compact', at(n, '?mode=compact')),
    board('xl', at(n, '?qr=xl')),
    board('long', at(n), as(long)),
    board('days', at(n), as({ gameDate: hoursFromNow(53) })),
    board('scheduled', at(n), as({ opensAt: hoursFromNow(2) })),
    board('cancelled', at(n), as({ status: 'cancelled' })),
    board('sold-out', at(n), as({ ticketsSold: 169, ticketsAvailable: 0 })),
    board('awaiting', at(awaiting?.drawNumber)),
    board('result', at(sold?.drawNumber)),
    board('result-unsold', at(unsold?.drawNumber)),
    board('not-found', at(999_999)),
    board('offer', offerBoard, withOffer({})),
    board(
      'offer-compact',
      `/bundle/${offer.clubSlug}/${offer.slug}/display?mode=compact`,
      withOffer({}),
    ),
    board('offer-closed', offerBoard, withOffer({ widget: { status: 'closed' } })),
    board(
      'offer-scheduled',
      offerBoard,
      withOffer({ widget: { status: 'scheduled', earliestOpensAt: hoursFromNow(30) } }),
    ),
    { name: 'widget', path: at(n, '?mode=widget') },
    { name: 'widget-dark', path: at(n, '?mode=widget&theme=dark&qr=yes') },
    { name: 'widget-completed', path: at(sold?.drawNumber, '?mode=widget') },
  ];
}

async function proofScreens(request: APIRequestContext): Promise<PublicScreen[]> {
  const open = (await listActiveDraws(request))[0]?.drawNumber ?? 0;
  const completed = await findCompletedDraw(request);
  const awaiting =
    (
      (await (
        await request.get('/api/draws/awaiting-results', READ_RETRIES)
      ).json()) as ListedDraw[]
    )[0]?.drawNumber ?? 0;
  const forged = (page: Page) =>
    changeResponse(
      page,
      `/api/public/draws/${completed}/proof`,
      (proof: { winningTicket: number }) => ({
        ...proof,
        winningTicket: (proof.winningTicket % 169) + 1,
      }),
    );
  return [
    { name: 'verify-before', path: `/verify/${open}` },
    { name: 'verify-awaiting', path: `/verify/${awaiting}` },
    {
      name: 'verify-cancelled',
      path: `/verify/${open}`,
      before: (page) => changeDrawResponse(page, open, { status: 'cancelled' }),
    },
    { name: 'verify-good', path: `/verify/${completed}` },
    { name: 'verify-forged', path: `/verify/${completed}`, before: forged },
    { name: 'verify-not-found', path: '/verify/999999' },
    {
      name: 'verify-failed',
      path: `/verify/${completed}`,
      before: (page) => stubFailure(page, `/api/public/draws/${completed}/proof`),
    },
  ];
}

/**
 * Returns the states of a draw's page that sell no tickets. `shop-states.ts` has the states that
 * sell.
 */
async function drawScreens(request: APIRequestContext): Promise<PublicScreen[]> {
  const list = await listActiveDraws(request);
  const open =
    list.find(
      (draw) => draw.ticketsAvailable > 0 && Date.parse(draw.gameDate) - Date.now() > 3_600_000,
    )?.drawNumber ?? 0;
  const awaiting =
    (
      (await (
        await request.get('/api/draws/awaiting-results', READ_RETRIES)
      ).json()) as ListedDraw[]
    )[0]?.drawNumber ?? 0;
  const completed = await findCompletedDraw(request);
  const as = (name: string, more: Record<string, unknown>): PublicScreen => ({
    name: `draw-${name}`,
    path: `/draw/${open}`,
    before: (page) => changeDrawResponse(page, open, more),
  });
  return [
    { name: 'draw-closed', path: `/draw/${awaiting}` },
    { name: 'draw-completed', path: `/draw/${completed}` },
    {
      name: 'draw-tickets-failed',
      path: `/draw/${completed}`,
      before: (page) => stubFailure(page, `/api/draws/${completed}/tickets`),
      after: (page) => page.getByText('Failed to fetch tickets').waitFor(),
    },
    as('sold-out', { ticketsSold: 169, ticketsAvailable: 0, ticketsHeld: 0 }),
    as('waiting', { ticketsSold: 160, ticketsAvailable: 0, ticketsHeld: 9 }),
    as('not-yet', { opensAt: hoursFromNow(5) }),
    as('started', { gameDate: hoursFromNow(-0.01) }),
    as('cancelled', { status: 'cancelled' }),
    as('unknown-status', { status: 'paused' }),
    { name: 'draw-not-found', path: '/draw/999999' },
  ];
}

function otherScreens(): PublicScreen[] {
  const send = async (page: Page) => {
    await page.getByLabel('Email Address').fill('robin@example.com');
    await page.getByRole('button', { name: 'Send my link' }).click();
  };
  return [
    { name: 'my-ask', path: '/my' },
    {
      name: 'my-problem',
      path: '/my',
      after: async (page) => {
        await page.getByLabel('Email Address').fill('robin');
        await page.getByRole('button', { name: 'Send my link' }).click();
      },
    },
    {
      name: 'my-sent',
      path: '/my',
      before: (page) => stubResponse(page, '/api/my-tickets', { message: 'sent' }),
      after: send,
    },
    {
      name: 'my-failed',
      path: '/my',
      before: (page) => stubFailure(page, '/api/my-tickets', 429),
      after: async (page) => {
        await send(page);
        await page.getByRole('alert').waitFor({ timeout: 15_000 });
      },
    },
    { name: 'my-not-found', path: '/my/0123456789abcdef0123456789abcdef' },
    { name: 'thank-you-empty', path: '/thank-you' },
    { name: 'not-found', path: '/no/such/page' },
    {
      name: 'crash',
      path: '/',
      before: (page) => stubResponse(page, '/api/footer-menus', [{ id: 1, heading: 'Broken' }]),
      after: (page) => page.getByText('Something went wrong').waitFor(),
    },
    {
      name: 'offline',
      path: '/',
      before: blockSockets,
      after: async (page) => {
        await page.context().setOffline(true);
        await page.getByText('Offline').first().waitFor();
        await page.context().setOffline(false);
      },
    },
  ];
}
