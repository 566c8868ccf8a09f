import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { aDraw } from '@/testing/a-draw';
import { receiveFrameAtom, socketStateAtom } from '@/features/shared-live/live-atoms';
import { aWinner, here } from '@/testing/a-club';
import { FakeServer } from '@/testing/fake-server';
import { show } from '@/testing/show';
import { Dashboard } from './dashboard';
import { whenOf } from './draw-words';

const HOUR = 3_600_000;
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR).toISOString();
const ACTIVE = aDraw({ id: 1, drawNumber: 1001, awayTeam: 'Logan', gameDate: inHours(5) });
const AWAITING = aDraw({ id: 2, drawNumber: 1002, awayTeam: 'Noosa', gameDate: inHours(-2) });
const DONE = aDraw({
  id: 3,
  drawNumber: 1003,
  awayTeam: 'Tweed',
  gameDate: inHours(-200),
  status: 'completed',
  archived: false,
});
const STATS = { totalRevenue: '1250.00', ticketsSold: 250, clubProfit: '-12.50' };
const CLUB = {
  id: 1,
  name: 'Sharks',
  slug: 'sharks',
  homePageSlug: 'sharks',
  homePageTitle: 'Sharks',
  homePageReady: true,
  homePageEnabled: true,
  logoUrl: null,
  primaryColor: null,
};
let server: FakeServer;

beforeEach(() => {
  server = new FakeServer()
    .on('GET /api/clubs/1/draws', { body: [ACTIVE, AWAITING, DONE] })
    .on('GET /api/draws/awaiting-results?clubId=1', {
      body: [
        AWAITING,
        aDraw({ drawNumber: 2002, clubId: 2, awayTeam: 'Strangers', gameDate: inHours(-1) }),
      ],
    })
    .on('GET /api/clubs/1/stats', { body: STATS })
    .on('GET /api/clubs/1/stripe-connect/status', { body: { connected: true } })
    .on('GET /api/clubs/1', { body: CLUB });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const open = (onShare = vi.fn(() => Promise.resolve(null)), who = here()) =>
  show(<Dashboard here={who} onShare={onShare} />, '/club/sharks/admin');
const card = async (name: string) => within(await screen.findByRole('article', { name }));
const items = () => screen.getAllByRole('menuitem').map((item) => item.textContent);

test('draws are grouped in lists, those awaiting a result first and without other clubs’ draws', async () => {
  open();
  await card('Redcliffe Sharks v Noosa');
  expect(
    screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent),
  ).toEqual(
    [
      'Draws Awaiting Results',
      'Active Draws',
      'Club Homepage',
      'Payment Setup Status',
      'Completed Draws',
      undefined,
    ].filter(Boolean),
  );
  expect(screen.getByText('Games have finished - enter results to determine winners')).toBeTruthy();
  expect(screen.queryByText(/Strangers/)).toBeNull();
  await waitFor(() => expect(screen.getByText('$1,250.00')).toBeTruthy());
  expect(screen.getByText('−$12.50')).toBeTruthy();
});

test('each draw has its badge, its next step and the menu of its list', async () => {
  open();
  const menus: [string, string, string[]][] = [
    [
      'Redcliffe Sharks v Logan',
      'Active',
      ['Share Link', 'Edit Draw', 'View Public', 'Details', 'Enter Results'],
    ],
    ['Redcliffe Sharks v Noosa', 'Awaiting Results', ['Enter Results', 'View Public', 'Details']],
    [
      'Redcliffe Sharks v Tweed',
      'Completed',
      [
        'View Public',
        'Details',
        'Show Winners',
        'Download Report (PDF)',
        'Download Ticket Data (CSV)',
        'Archive Draw',
      ],
    ],
  ];
  for (const [teams, badge, wanted] of menus) {
    const of = await card(teams);
    expect(of.getByText(badge)).toBeTruthy();
    await userEvent.click(of.getByRole('button', { name: `Actions for ${teams}` }));
    expect(items()).toEqual(wanted);
    await userEvent.keyboard('{Escape}');
  }
});

test('arrow keys move inside the menu, and closing it returns focus', async () => {
  open();
  const of = await card('Redcliffe Sharks v Noosa');
  const button = of.getByRole('button', { name: /^Actions/ });
  button.focus();
  await userEvent.keyboard('{Enter}');
  expect(document.activeElement?.textContent).toBe('Enter Results');
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}{ArrowUp}');
  expect(document.activeElement?.textContent).toBe('Details');
  await userEvent.keyboard('{Escape}');
  expect(document.activeElement).toBe(button);
});

test('archiving a draw shows at once, can be undone, and is reverted when the server refuses', async () => {
  server.on('PATCH /api/draws/1003/archive', { body: DONE }, { body: DONE }, { status: 500 });
  open();
  const choose = async (label: string) => {
    const of = await card('Redcliffe Sharks v Tweed');
    await userEvent.click(of.getByRole('button', { name: /^Actions/ }));
    await userEvent.click(screen.getByRole('menuitem', { name: label }));
    return of;
  };
  const of = await choose('Archive Draw');
  expect(of.getByText('Archived')).toBeTruthy();
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(of.queryByText('Archived')).toBeNull());
  expect(server.asked.filter(({ method }) => method === 'PATCH').map(({ body }) => body)).toEqual([
    { archived: true },
    { archived: false },
  ]);
  await choose('Archive Draw');
  expect(await screen.findByText('Archive operation failed')).toBeTruthy();
  expect(of.queryByText('Archived')).toBeNull();
});

test('winners can be shown and hidden, and a failed download shows an error', async () => {
  server.on('GET /api/draws/1003/winners', {
    body: { winningTickets: [aWinner({ buyerPhone: null })], prize: '290.00', notified: false },
  });
  open();
  const of = await card('Redcliffe Sharks v Tweed');
  const choose = async (label: string) => {
    await userEvent.click(of.getByRole('button', { name: /^Actions/ }));
    await userEvent.click(screen.getByRole('menuitem', { name: label }));
  };
  await choose('Show Winners');
  expect(await of.findByText('FD-1042-007')).toBeTruthy();
  expect(of.getByText('Not provided')).toBeTruthy();
  await choose('Hide Winners');
  expect(of.queryByText('FD-1042-007')).toBeNull();
  await choose('Download Report (PDF)');
  expect(await screen.findByText('Download Failed')).toBeTruthy();
});

test('the homepage’s address is copied by the clipboard API or by the fallback', async () => {
  const writeText = vi.fn().mockRejectedValue(new Error('forbidden'));
  Object.defineProperty(navigator, 'clipboard', { configurable: true, value: { writeText } });
  document.execCommand = vi.fn(() => true);
  open();
  await userEvent.click(await screen.findByRole('button', { name: 'Copy URL' }));
  expect(await screen.findByText('Club URL copied!')).toBeTruthy();
  expect(screen.getByText('Your club homepage URL has been copied to clipboard')).toBeTruthy();
  expect(document.execCommand).toHaveBeenCalledWith('copy');
});

test('a page without a name has no address to copy, and an unsaved page asks for setup', async () => {
  server.on('GET /api/clubs/1', { body: { ...CLUB, homePageSlug: '' } });
  const { unmount } = open();
  await userEvent.click(await screen.findByRole('button', { name: 'Copy URL' }));
  expect((await screen.findAllByText('No homepage URL available')).length).toBe(2);
  unmount();
  server.on('GET /api/clubs/1', { body: { ...CLUB, homePageReady: false } });
  open();
  expect(await screen.findByText('Homepage not set up')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Set Up Homepage' })).toBeTruthy();
});

test('until the payment account is connected no draw can be created, and a failed connection says why', async () => {
  server.on('GET /api/clubs/1/stripe-connect/status', { body: { connected: false } }).on(
    'POST /api/clubs/1/stripe-connect',
    {
      status: 503,
      body: {
        code: 'setup-required',
        setupRequired: true,
        message: 'Stripe Platform Setup Required',
      },
    },
    { status: 502, body: { code: 'setup-failed', message: 'Setup failed' } },
  );
  open();
  const button = await screen.findByRole('button', { name: 'Connect Stripe account' });
  expect(
    screen.getAllByText('Connect Stripe account first to create draws').length,
  ).toBeGreaterThan(0);
  expect(screen.getByRole('button', { name: 'Create Draw' }).getAttribute('aria-disabled')).toBe(
    'true',
  );
  await userEvent.click(button);
  expect(await screen.findByText('Stripe Platform Setup Required')).toBeTruthy();
  await userEvent.click(button);
  expect(await screen.findByText('Setup failed')).toBeTruthy();
});

test('a club without draws is invited to create one, and a failed list can be retried', async () => {
  server
    .on('GET /api/clubs/1/draws', { status: 500 }, { body: [] })
    .on('GET /api/draws/awaiting-results?clubId=1', { body: [] });
  open();
  expect(await screen.findByText('Failed to load draws')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('No draws yet – create your first')).toBeTruthy();
});

test('marketing cookies are asked for once', async () => {
  const { unmount } = open();
  await userEvent.click(await screen.findByRole('button', { name: 'Decline' }));
  expect(screen.queryByRole('button', { name: 'Allow' })).toBeNull();
  expect(localStorage.getItem('marketing_consent')).not.toBeNull();
  unmount();
  open();
  await card('Redcliffe Sharks v Logan');
  expect(screen.queryByRole('button', { name: 'Allow' })).toBeNull();
});

test('details show the game, its date alone when the time is unknown, and the money', async () => {
  server.on('GET /api/draws/1001/financials', {
    body: {
      soldTickets: 113,
      totalRevenue: '565.00',
      actualStripeFees: '20.00',
      feesEstimated: true,
      platformFee: '11.00',
      prizePool: '290.00',
      clubRevenue: '534.00',
      clubProfit: '244.00',
      actualTransactionCount: 20,
    },
  });
  open(vi.fn());
  const of = await card('Redcliffe Sharks v Logan');
  await userEvent.click(of.getByRole('button', { name: /^Actions/ }));
  await userEvent.click(screen.getByRole('menuitem', { name: 'Details' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Draw Details' }));
  expect(await dialog.findByText('$534.00')).toBeTruthy();
  expect(dialog.getByText('$244.00')).toBeTruthy();
  expect(
    whenOf(ACTIVE, () => {
      throw new Error('no such zone');
    }),
  ).toBe(ACTIVE.gameDate.slice(0, 10));
  expect(whenOf({ gameDate: 'soon', timezone: 'x' })).toBe('soon');
});

test('a draw created elsewhere appears after ten seconds, however busy the socket is', async () => {
  vi.useFakeTimers({
    toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance', 'Date'],
  });
  const made = aDraw({ id: 9, drawNumber: 1009, awayTeam: 'Ipswich', gameDate: inHours(9) });
  server
    .on('GET /api/clubs/1/draws', { body: [ACTIVE] }, { body: [ACTIVE, made] })
    .on('GET /api/draws/awaiting-results?clubId=1', { body: [] });
  const { store } = open();
  await act(() => vi.advanceTimersByTimeAsync(100));
  act(() => store.set(socketStateAtom, 'open'));
  for (let second = 1; second <= 10; second += 1) {
    act(() =>
      store.set(receiveFrameAtom, {
        v: 1,
        topic: 'draws',
        seq: second,
        serverNow: Date.now(),
        type: 'draws',
        data: [],
      }),
    );
    await act(() => vi.advanceTimersByTimeAsync(1_000));
  }
  expect(screen.getByRole('article', { name: 'Redcliffe Sharks v Ipswich' })).toBeTruthy();
});

test('a cancelled draw has no winners to show', async () => {
  server.on('GET /api/clubs/1/draws', {
    body: [
      aDraw({ drawNumber: 1004, awayTeam: 'Gympie', gameDate: inHours(-300), status: 'cancelled' }),
    ],
  });
  open();
  const of = await card('Redcliffe Sharks v Gympie');
  await userEvent.click(of.getByRole('button', { name: /^Actions/ }));
  expect(items()).toEqual([
    'View Public',
    'Details',
    'Download Report (PDF)',
    'Download Ticket Data (CSV)',
    'Archive Draw',
  ]);
});

test('Unarchive Draw lists an archived draw again', async () => {
  server
    .on('GET /api/clubs/1/draws', { body: [{ ...DONE, archived: true }] })
    .on('PATCH /api/draws/1003/archive', { body: DONE });
  open();
  const of = await card('Redcliffe Sharks v Tweed');
  await userEvent.click(of.getByRole('button', { name: /^Actions/ }));
  await userEvent.click(screen.getByRole('menuitem', { name: 'Unarchive Draw' }));
  expect(await screen.findByText('Redcliffe Sharks v Tweed is listed again')).toBeTruthy();
});

test('an archived club can enter results and download, and disabled actions say why', async () => {
  open(undefined, here({ archived: true }));
  const words =
    'This club is archived. Its running draws finish and pay; nothing new can be started.';
  const of = await card('Redcliffe Sharks v Logan');
  expect(screen.getByRole('button', { name: 'Create Draw' }).getAttribute('aria-disabled')).toBe(
    'true',
  );
  await userEvent.click(of.getByRole('button', { name: /^Actions/ }));
  const edit = screen.getByRole('menuitem', { name: new RegExp(`^Edit Draw ?${words}$`) });
  expect(edit.getAttribute('aria-disabled')).toBe('true');
  expect(screen.getByRole('menuitem', { name: 'Enter Results' }).getAttribute('href')).toBe(
    '/club/sharks/admin/results/1001',
  );
});

test('the connect button shows Setting up... while waiting, and a failed poster or table shows an error', async () => {
  let answer: (value: Response) => void = () => {};
  server.on('GET /api/clubs/1/stripe-connect/status', { body: { connected: false } });
  const known = fetch;
  vi.stubGlobal('fetch', (path: string, init: RequestInit) =>
    path.endsWith('/stripe-connect')
      ? new Promise<Response>((resolve) => (answer = resolve))
      : known(path, init),
  );
  open();
  await userEvent.click(await screen.findByRole('button', { name: 'Connect Stripe account' }));
  expect(screen.getByRole('button', { name: 'Setting up...' }).getAttribute('aria-disabled')).toBe(
    'true',
  );
  await act(async () => answer(new Response('{"message":"Setup failed"}', { status: 502 })));
  const of = await card('Redcliffe Sharks v Tweed');
  await userEvent.click(of.getByRole('button', { name: /^Actions/ }));
  await userEvent.click(screen.getByRole('menuitem', { name: 'Download Ticket Data (CSV)' }));
  expect(await screen.findByText('Download Failed')).toBeTruthy();
  await userEvent.click(of.getByRole('button', { name: /^Actions/ }));
  await userEvent.click(screen.getByRole('menuitem', { name: 'Details' }));
  await userEvent.click(screen.getByRole('button', { name: 'Poster with QR code (PDF)' }));
  expect((await screen.findAllByText('Download Failed')).length).toBeGreaterThan(0);
});

test('View Page opens a live page', async () => {
  open();
  expect((await screen.findByRole('link', { name: 'View Page' })).getAttribute('href')).toBe(
    '/club/sharks',
  );
  expect(screen.getByText('Club Profit')).toBeTruthy();
});
