import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import type { User } from '@/api/wire-club';
import { makeOffer, makeOwnDraw, makeUser, makeWinner, makePageContext } from '@/testing/club-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { Dashboard } from '../dashboard/dashboard';
import { CreateDrawPage } from '../draw-form/create-draw';
import { EditDrawPage } from '../draw-form/edit-draw';
import { ClubPageLayout } from '../frame/club-frame';
import { HomePageSetup } from '../home-page/home-page-setup';
import { OfferList } from '../offers/offer-list';
import { OfferPage } from '../offers/offer-editor';
import { StripeRefreshPage } from '../payments/connect-refresh';
import { ResultsPage } from '../results/results';
import { roleOf } from './roles';
import { loginEmailOf } from './user';

afterEach(() => vi.unstubAllGlobals());

const userWithRole = (role: string): Partial<User> => ({
  role,
  memberName: 'Kim',
  memberEmail: 'kim@example.com',
});
const OPEN_DRAW = makeOwnDraw({
  drawNumber: 1001,
  gameDate: '2099-11-20T09:10:00Z',
  homeTeam: 'Open',
});
const DRAW_AWAITING_RESULT = makeOwnDraw({
  drawNumber: 1002,
  gameDate: '2020-11-20T09:10:00Z',
  homeTeam: 'Due',
});
const COMPLETED_DRAW = makeOwnDraw({
  drawNumber: 1003,
  status: 'completed',
  gameDate: '2020-11-20T09:10:00Z',
  homeTeam: 'Done',
});
const VIEWER_REFUSAL_TEXT =
  'Your role only lets you look. Ask an owner of the club for the role of a seller.';
const OWNERS_ONLY_TEXT = 'Only an owner of the club can do this.';

function startServer(): FakeServer {
  return new FakeServer()
    .on('GET /api/clubs/1/draws', { body: [OPEN_DRAW, DRAW_AWAITING_RESULT, COMPLETED_DRAW] })
    .on('GET /api/draws/awaiting-results?clubId=1', { body: [] })
    .on('GET /api/clubs/1/stats', {
      body: { totalRevenue: '0.00', ticketsSold: 0, clubProfit: '0.00', feesEstimated: false },
    })
    .on('GET /api/clubs/1', {
      body: { homePageSlug: 'sharks', homePageReady: true, homePageEnabled: true },
    })
    .on('GET /api/clubs/1/stripe-connect/status', {
      body: { connected: false, payoutsEnabled: false },
    })
    .on('GET /api/draws/1002', { body: DRAW_AWAITING_RESULT })
    .on('GET /api/draws/1003', { body: COMPLETED_DRAW })
    .on('GET /api/draws/1003/payouts', {
      body: [{ id: 1, type: 'winner', amount: '290.00', status: 'pending', recipientName: null }],
    })
    .on('GET /api/draws/1003/winners', {
      body: {
        winningTickets: [
          makeWinner({
            winnerPayoutStatus: 'details_received',
            buyerName: null,
            buyerEmail: null,
            buyerPhone: null,
          }),
        ],
        prize: '290.00',
        notified: true,
      },
    });
}

const openMenuOfDraw = async (team: string) => {
  await userEvent.click(screen.getByRole('button', { name: new RegExp(`^Actions for ${team} v`) }));
  const items = screen.getAllByRole('menuitem').map((item) => item.textContent);
  await userEvent.keyboard('{Escape}');
  return items;
};

test('the club’s own login, the operator and a remembered user without a role may do everything', () => {
  expect([
    roleOf(makeUser()),
    roleOf(makeUser({ isAdmin: true })),
    roleOf(makeUser({ role: null })),
    roleOf(makeUser({ role: 'seller' })),
    roleOf(makeUser({ role: 'viewer' })),
  ]).toEqual(['owner', 'owner', 'owner', 'seller', 'viewer']);
  expect([
    loginEmailOf(makeUser()),
    loginEmailOf(makeUser(userWithRole('viewer'))),
    loginEmailOf(null),
  ]).toEqual(['sharks@example.com', 'kim@example.com', '']);
});

test('a viewer’s dashboard shows the role and no button that would be refused', async () => {
  startServer();
  renderScreen(
    <ClubPageLayout club={makePageContext(userWithRole('viewer')).club}>
      <Dashboard
        here={makePageContext({ ...userWithRole('viewer'), emailVerified: false })}
        onShare={async () => null}
      />
    </ClubPageLayout>,
    '/club/sharks/admin',
  );
  expect(await screen.findByText(/^Signed in as Kim\./)).toBeTruthy();
  await screen.findByRole('article', { name: /^Open/ });
  expect(await openMenuOfDraw('Open')).toEqual([
    'Share Link',
    'Share kit',
    'View Public',
    'Details',
  ]);
  expect(await openMenuOfDraw('Due')).toEqual(['View Public', 'Details']);
  expect(await openMenuOfDraw('Done')).toEqual(['View Public', 'Details', 'Show Winners']);
  expect(screen.getByText('An owner of the club can connect it.')).toBeTruthy();
  for (const name of ['Create Draw', 'Connect Stripe account', 'Send again', 'Enter Results'])
    expect(screen.queryByRole('button', { name })).toBeNull();
  for (const name of ['Edit', 'Enter Results', 'Home Page', 'People'])
    expect(screen.queryByRole('link', { name })).toBeNull();
  expect(screen.queryByText(/^Please confirm your email address/)).toBeNull();
});

test('a seller creates draws and enters results, without payment account, page or people', async () => {
  startServer();
  renderScreen(
    <ClubPageLayout club={makePageContext(userWithRole('seller')).club}>
      <Dashboard here={makePageContext(userWithRole('seller'))} onShare={async () => null} />
    </ClubPageLayout>,
    '/club/sharks/admin',
  );
  await screen.findByRole('article', { name: /^Open/ });
  expect(await openMenuOfDraw('Open')).toContain('Edit Draw');
  expect(await openMenuOfDraw('Done')).toContain('Download Ticket Data (CSV)');
  expect(screen.getByRole('link', { name: 'Enter Results' })).toBeTruthy();
  expect(screen.getAllByRole('button', { name: 'Create Draw' }).length).toBeGreaterThan(0);
  expect(screen.queryByRole('button', { name: 'Connect Stripe account' })).toBeNull();
  expect(screen.queryByRole('link', { name: 'People' })).toBeNull();
});

test('an owner finds the people page in the menu', () => {
  startServer();
  renderScreen(<ClubPageLayout club={makePageContext().club}>{null}</ClubPageLayout>);
  const menu = screen.queryByRole('button', { name: 'Menu' });
  if (menu) menu.click();
  return waitFor(() =>
    expect(screen.getByRole('link', { name: 'People' }).getAttribute('href')).toBe(
      '/club/sharks/admin/people',
    ),
  );
});

test('a viewer who opens a form by its address reads why it is not available', async () => {
  startServer()
    .on('GET /api/admin/clubs/sharks/bundles/1', { body: makeOffer({ status: 'active' }) })
    .on('GET /api/admin/clubs/sharks/bundles', { body: [makeOffer({ status: 'active' })] });
  const look = async (what: React.ReactNode, text: string) => {
    const { unmount } = renderScreen(what);
    expect((await screen.findAllByText(text)).length).toBe(1);
    expect(
      screen.queryByRole('button', {
        name: /^(Create Draw|Save|Submit Results|Activate|Continue setup)/,
      }),
    ).toBeNull();
    unmount();
  };
  const viewer = makePageContext(userWithRole('viewer'));
  await look(<CreateDrawPage here={viewer} />, VIEWER_REFUSAL_TEXT);
  await look(<EditDrawPage here={viewer} number={1002} />, VIEWER_REFUSAL_TEXT);
  await look(<ResultsPage here={viewer} number={1002} />, VIEWER_REFUSAL_TEXT);
  await look(<OfferPage here={viewer} id={1} />, VIEWER_REFUSAL_TEXT);
  await look(
    <HomePageSetup
      here={makePageContext(userWithRole('seller'))}
      preview={() => null}
      readable={() => ({ text: 'white', ratio: 7 })}
    />,
    OWNERS_ONLY_TEXT,
  );
  await look(
    <StripeRefreshPage here={makePageContext(userWithRole('seller'))} />,
    OWNERS_ONLY_TEXT,
  );
  renderScreen(<OfferList here={viewer} />);
  expect(await screen.findByRole('link', { name: 'View' })).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'New offer' })).toBeNull();
});

test('after a result a viewer sees no names, a seller notifies the winner, and only an owner pays out', async () => {
  const server = startServer();
  const { unmount } = renderScreen(
    <ResultsPage here={makePageContext(userWithRole('viewer'))} number={1003} />,
  );
  expect(
    await screen.findByText('Who won, and how to reach them, is shown to sellers and owners.'),
  ).toBeTruthy();
  expect(screen.queryByText('Not provided')).toBeNull();
  expect(screen.queryAllByRole('button')).toEqual([]);
  unmount();
  server.on('GET /api/draws/1003/winners', {
    body: { winningTickets: [makeWinner()], prize: '290.00', notified: false },
  });
  const shown = renderScreen(
    <ResultsPage here={makePageContext(userWithRole('seller'))} number={1003} />,
  );
  expect(await screen.findByRole('button', { name: 'Notify Winner' })).toBeTruthy();
  const payout = within(screen.getByRole('region', { name: 'Payout Management' }));
  expect(
    payout.getByText('The owners of the club see the winner’s bank details and record the payout.'),
  ).toBeTruthy();
  expect(payout.queryAllByRole('button')).toEqual([]);
  shown.unmount();
  renderScreen(<ResultsPage here={makePageContext()} number={1003} />);
  expect(await screen.findByRole('button', { name: 'I paid Robin in another way' })).toBeTruthy();
});

test('a refusal for a missing role has a plain text', async () => {
  startServer().on('GET /api/draws/1003/report', {
    status: 403,
    body: {
      code: 'role-not-allowed',
      message: VIEWER_REFUSAL_TEXT,
      role: 'viewer',
      needs: 'seller',
    },
  });
  renderScreen(<ResultsPage here={makePageContext()} number={1003} />);
  await userEvent.click(await screen.findByRole('button', { name: 'Download Report' }));
  expect(await screen.findByText('Download Failed')).toBeTruthy();
  expect(screen.getByText(VIEWER_REFUSAL_TEXT)).toBeTruthy();
});
