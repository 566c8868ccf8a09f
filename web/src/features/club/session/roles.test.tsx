import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import type { User } from '@/api/wire-club';
import { anOffer, anOwnDraw, aUser, aWinner, here } from '@/testing/a-club';
import { FakeServer } from '@/testing/fake-server';
import { show } from '@/testing/show';
import { Dashboard } from '../dashboard/dashboard';
import { CreateDraw } from '../draw-form/create-draw';
import { EditDraw } from '../draw-form/edit-draw';
import { ClubFrame } from '../frame/club-frame';
import { HomePageSetup } from '../home-page/home-page-setup';
import { OfferList } from '../offers/offer-list';
import { OfferPage } from '../offers/offer-editor';
import { ConnectRefresh } from '../payments/connect-refresh';
import { Results } from '../results/results';
import { roleOf } from './roles';
import { loginOf } from './user';

afterEach(() => vi.unstubAllGlobals());

const as = (role: string): Partial<User> => ({
  role,
  memberName: 'Kim',
  memberEmail: 'kim@example.com',
});
const OPEN = anOwnDraw({ drawNumber: 1001, gameDate: '2099-11-20T09:10:00Z', homeTeam: 'Open' });
const DUE = anOwnDraw({ drawNumber: 1002, gameDate: '2020-11-20T09:10:00Z', homeTeam: 'Due' });
const DONE = anOwnDraw({
  drawNumber: 1003,
  status: 'completed',
  gameDate: '2020-11-20T09:10:00Z',
  homeTeam: 'Done',
});
const LOOK = 'Your role only lets you look. Ask an owner of the club for the role of a seller.';
const OWNERS = 'Only an owner of the club can do this.';

function aServer(): FakeServer {
  return new FakeServer()
    .on('GET /api/clubs/1/draws', { body: [OPEN, DUE, DONE] })
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
    .on('GET /api/draws/1002', { body: DUE })
    .on('GET /api/draws/1003', { body: DONE })
    .on('GET /api/draws/1003/payouts', {
      body: [{ id: 1, type: 'winner', amount: '290.00', status: 'pending', recipientName: null }],
    })
    .on('GET /api/draws/1003/winners', {
      body: {
        winningTickets: [
          aWinner({
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

const menuOf = async (team: string) => {
  await userEvent.click(screen.getByRole('button', { name: new RegExp(`^Actions for ${team} v`) }));
  const items = screen.getAllByRole('menuitem').map((item) => item.textContent);
  await userEvent.keyboard('{Escape}');
  return items;
};

test('the club’s own login, the operator and a remembered user without a role may do everything', () => {
  expect([
    roleOf(aUser()),
    roleOf(aUser({ isAdmin: true })),
    roleOf(aUser({ role: null })),
    roleOf(aUser({ role: 'seller' })),
    roleOf(aUser({ role: 'viewer' })),
  ]).toEqual(['owner', 'owner', 'owner', 'seller', 'viewer']);
  expect([loginOf(aUser()), loginOf(aUser(as('viewer'))), loginOf(null)]).toEqual([
    'sharks@example.com',
    'kim@example.com',
    '',
  ]);
});

test('a viewer’s dashboard shows the role and no button that would be refused', async () => {
  aServer();
  show(
    <ClubFrame club={here(as('viewer')).club}>
      <Dashboard
        here={here({ ...as('viewer'), emailVerified: false })}
        onShare={async () => null}
      />
    </ClubFrame>,
    '/club/sharks/admin',
  );
  expect(await screen.findByText(/^Signed in as Kim\./)).toBeTruthy();
  await screen.findByRole('article', { name: /^Open/ });
  expect(await menuOf('Open')).toEqual(['Share Link', 'View Public', 'Details']);
  expect(await menuOf('Due')).toEqual(['View Public', 'Details']);
  expect(await menuOf('Done')).toEqual(['View Public', 'Details', 'Show Winners']);
  expect(screen.getByText('An owner of the club can connect it.')).toBeTruthy();
  for (const name of ['Create Draw', 'Connect Stripe account', 'Send again', 'Enter Results'])
    expect(screen.queryByRole('button', { name })).toBeNull();
  for (const name of ['Edit', 'Enter Results', 'Home Page', 'People'])
    expect(screen.queryByRole('link', { name })).toBeNull();
  expect(screen.queryByText(/^Please confirm your email address/)).toBeNull();
});

test('a seller creates draws and enters results, without payment account, page or people', async () => {
  aServer();
  show(
    <ClubFrame club={here(as('seller')).club}>
      <Dashboard here={here(as('seller'))} onShare={async () => null} />
    </ClubFrame>,
    '/club/sharks/admin',
  );
  await screen.findByRole('article', { name: /^Open/ });
  expect(await menuOf('Open')).toContain('Edit Draw');
  expect(await menuOf('Done')).toContain('Download Ticket Data (CSV)');
  expect(screen.getByRole('link', { name: 'Enter Results' })).toBeTruthy();
  expect(screen.getAllByRole('button', { name: 'Create Draw' }).length).toBeGreaterThan(0);
  expect(screen.queryByRole('button', { name: 'Connect Stripe account' })).toBeNull();
  expect(screen.queryByRole('link', { name: 'People' })).toBeNull();
});

test('an owner finds the people page in the menu', () => {
  aServer();
  show(<ClubFrame club={here().club}>{null}</ClubFrame>);
  const menu = screen.queryByRole('button', { name: 'Menu' });
  if (menu) menu.click();
  return waitFor(() =>
    expect(screen.getByRole('link', { name: 'People' }).getAttribute('href')).toBe(
      '/club/sharks/admin/people',
    ),
  );
});

test('a viewer who opens a form by its address reads why it is not available', async () => {
  aServer()
    .on('GET /api/admin/clubs/sharks/bundles/1', { body: anOffer({ status: 'active' }) })
    .on('GET /api/admin/clubs/sharks/bundles', { body: [anOffer({ status: 'active' })] });
  const look = async (what: React.ReactNode, words: string) => {
    const { unmount } = show(what);
    expect((await screen.findAllByText(words)).length).toBe(1);
    expect(
      screen.queryByRole('button', {
        name: /^(Create Draw|Save|Submit Results|Activate|Continue setup)/,
      }),
    ).toBeNull();
    unmount();
  };
  const viewer = here(as('viewer'));
  await look(<CreateDraw here={viewer} />, LOOK);
  await look(<EditDraw here={viewer} number={1002} />, LOOK);
  await look(<Results here={viewer} number={1002} />, LOOK);
  await look(<OfferPage here={viewer} id={1} />, LOOK);
  await look(
    <HomePageSetup
      here={here(as('seller'))}
      preview={() => null}
      readable={() => ({ text: 'white', ratio: 7 })}
    />,
    OWNERS,
  );
  await look(<ConnectRefresh here={here(as('seller'))} />, OWNERS);
  show(<OfferList here={viewer} />);
  expect(await screen.findByRole('link', { name: 'View' })).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'New offer' })).toBeNull();
});

test('after a result a viewer sees no names, a seller notifies the winner, and only an owner pays out', async () => {
  aServer();
  const { unmount } = show(<Results here={here(as('viewer'))} number={1003} />);
  expect(
    await screen.findByText('Who won, and how to reach them, is shown to sellers and owners.'),
  ).toBeTruthy();
  expect(screen.queryByText('Not provided')).toBeNull();
  expect(screen.queryAllByRole('button')).toEqual([]);
  unmount();
  const shown = show(<Results here={here(as('seller'))} number={1003} />);
  expect(await screen.findByRole('button', { name: 'Notify Winner' })).toBeTruthy();
  const payout = within(screen.getByRole('region', { name: 'Payout Management' }));
  expect(
    payout.getByText('The owners of the club see the winner’s bank details and record the payout.'),
  ).toBeTruthy();
  expect(payout.queryAllByRole('button')).toEqual([]);
  shown.unmount();
  show(<Results here={here()} number={1003} />);
  expect(await screen.findByRole('button', { name: 'Mark as paid' })).toBeTruthy();
});

test('a refusal for a missing role has a plain text', async () => {
  aServer().on('GET /api/draws/1003/report', {
    status: 403,
    body: { code: 'role-not-allowed', message: LOOK, role: 'viewer', needs: 'seller' },
  });
  show(<Results here={here()} number={1003} />);
  await userEvent.click(await screen.findByRole('button', { name: 'Download Report' }));
  expect(await screen.findByText('Download Failed')).toBeTruthy();
  expect(screen.getByText(LOOK)).toBeTruthy();
});
