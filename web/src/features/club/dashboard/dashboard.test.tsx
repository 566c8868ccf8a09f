import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeDraw } from '@/testing/draw-data';
import { receiveFrameAtom, setSocketStateAtom } from '@/features/shared-live/live-atoms';
import { makeWinner, makePageContext } from '@/testing/club-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { Dashboard } from './dashboard';
import { gameTimeText } from './draw-labels';

const HOUR_MS = 3_600_000;
const isoTimeHoursFromNow = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString();
const ACTIVE_DRAW = makeDraw({
  id: 1,
  drawNumber: 1001,
  awayTeam: 'Logan',
  gameDate: isoTimeHoursFromNow(5),
});
const DRAW_AWAITING_RESULT = makeDraw({
  id: 2,
  drawNumber: 1002,
  awayTeam: 'Noosa',
  gameDate: isoTimeHoursFromNow(-2),
});
const COMPLETED_DRAW = makeDraw({
  id: 3,
  drawNumber: 1003,
  awayTeam: 'Tweed',
  gameDate: isoTimeHoursFromNow(-200),
  status: 'completed',
  archived: false,
});
const STATS_RESPONSE = {
  totalRevenue: '1250.00',
  ticketsSold: 250,
  ticketsWithoutBuyer: 0,
  clubProfit: '-12.50',
  drawsWithoutBuyers: [],
};
const CLUB_RESPONSE = {
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
    .on('GET /api/clubs/1/draws', { body: [ACTIVE_DRAW, DRAW_AWAITING_RESULT, COMPLETED_DRAW] })
    .on('GET /api/draws/awaiting-results?clubId=1', {
      body: [
        DRAW_AWAITING_RESULT,
        makeDraw({
          drawNumber: 2002,
          clubId: 2,
          awayTeam: 'Strangers',
          gameDate: isoTimeHoursFromNow(-1),
        }),
      ],
    })
    .on('GET /api/clubs/1/stats', { body: STATS_RESPONSE })
    .on('GET /api/clubs/1/stripe-connect/status', { body: { connected: true } })
    .on('GET /api/clubs/1', { body: CLUB_RESPONSE });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const openDashboard = (onShare = vi.fn(() => Promise.resolve(null)), who = makePageContext()) =>
  renderScreen(<Dashboard here={who} onShare={onShare} />, '/club/sharks/admin');
const findDrawCard = async (name: string) => within(await screen.findByRole('article', { name }));
const menuItemTexts = () => screen.getAllByRole('menuitem').map((item) => item.textContent);

test('draws are grouped in lists, those awaiting a result first and without other clubs’ draws', async () => {
  openDashboard();
  await findDrawCard('Redcliffe Sharks v Noosa');
  expect(
    screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.textContent),
  ).toEqual([
    'To do 1',
    'Active Draws',
    'Completed Draws',
    'Club Homepage',
    'Payment Setup Status',
  ]);
  expect(screen.getByRole('heading', { level: 3, name: 'Draws Awaiting Results' })).toBeTruthy();
  expect(screen.getByText('Games have finished - enter results to determine winners')).toBeTruthy();
  expect(screen.queryByText(/Strangers/)).toBeNull();
  await waitFor(() => expect(screen.getByText('$1,250.00')).toBeTruthy());
  expect(screen.getByText('−$12.50')).toBeTruthy();
});

test('each draw has its badge, its next step and the menu of its list', async () => {
  openDashboard();
  const menus: [string, string, string[]][] = [
    [
      'Redcliffe Sharks v Logan',
      'Active',
      ['Share Link', 'Share kit', 'Edit Draw', 'View Public', 'Details', 'Enter Results'],
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
    const of = await findDrawCard(teams);
    expect(of.getByText(badge)).toBeTruthy();
    await userEvent.click(of.getByRole('button', { name: `Actions for ${teams}` }));
    expect(menuItemTexts()).toEqual(wanted);
    await userEvent.keyboard('{Escape}');
  }
});

test('arrow keys move inside the menu, and closing it returns focus', async () => {
  openDashboard();
  const of = await findDrawCard('Redcliffe Sharks v Noosa');
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
  server.on(
    'PATCH /api/draws/1003/archive',
    { body: COMPLETED_DRAW },
    { body: COMPLETED_DRAW },
    { status: 500 },
  );
  openDashboard();
  const choose = async (label: string) => {
    const of = await findDrawCard('Redcliffe Sharks v Tweed');
    await userEvent.click(of.getByRole('button', { name: /^Actions/ }));
    await userEvent.click(screen.getByRole('menuitem', { name: label }));
    return of;
  };
  const of = await choose('Archive Draw');
  expect(of.getByText('Archived')).toBeTruthy();
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  await waitFor(() => expect(of.queryByText('Archived')).toBeNull());
  expect(
    server.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => body),
  ).toEqual([{ archived: true }, { archived: false }]);
  await choose('Archive Draw');
  expect(await screen.findByText('Archive operation failed')).toBeTruthy();
  expect(of.queryByText('Archived')).toBeNull();
});

test('winners can be shown and hidden, and a failed download shows an error', async () => {
  server.on('GET /api/draws/1003/winners', {
    body: { winningTickets: [makeWinner({ buyerPhone: null })], prize: '290.00', notified: false },
  });
  openDashboard();
  const of = await findDrawCard('Redcliffe Sharks v Tweed');
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
  openDashboard();
  await userEvent.click(await screen.findByRole('button', { name: 'Copy URL' }));
  expect(await screen.findByText('Club URL copied!')).toBeTruthy();
  expect(screen.getByText('Your club homepage URL has been copied to clipboard')).toBeTruthy();
  expect(document.execCommand).toHaveBeenCalledWith('copy');
});

test('a page without a name has no address to copy, and an unsaved page asks for setup', async () => {
  server.on('GET /api/clubs/1', { body: { ...CLUB_RESPONSE, homePageSlug: '' } });
  const { unmount } = openDashboard();
  await userEvent.click(await screen.findByRole('button', { name: 'Copy URL' }));
  expect((await screen.findAllByText('No homepage URL available')).length).toBe(2);
  unmount();
  server.on('GET /api/clubs/1', { body: { ...CLUB_RESPONSE, homePageReady: false } });
  openDashboard();
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
  openDashboard();
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

test('a club without draws sees its four steps, and a failed list can be retried', async () => {
  server
    .on('GET /api/clubs/1/draws', { status: 500 }, { body: [] })
    .on('GET /api/draws/awaiting-results?clubId=1', { body: [] });
  openDashboard();
  expect(await screen.findByText('Failed to load draws')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByRole('heading', { name: 'Start selling in four steps' })).toBeTruthy();
  expect(
    screen.getAllByRole('heading', { level: 3 }).map((heading) => heading.textContent),
  ).toEqual([
    'Confirm your e-mail, done',
    'Connect Stripe, done',
    'Set up your home page, done',
    'Create your first draw',
  ]);
  expect(screen.getByText('3 of 4')).toBeTruthy();
});

test('money work comes first, the oldest on top, and its draw carries a chip', async () => {
  const draw = {
    drawNumber: 1003,
    homeTeam: 'Redcliffe Sharks',
    awayTeam: 'Tweed',
    prize: '422.50',
    winnerName: 'Dan Okafor',
  };
  server
    .on('GET /api/clubs/1/to-do', {
      body: [
        {
          kind: 'notify-winner',
          since: isoTimeHoursFromNow(-12 * 24 - 1),
          draw: { ...draw, drawNumber: 1005, winnerName: 'Mia Tran', prize: '144.00' },
        },
        { kind: 'pay-winner', since: isoTimeHoursFromNow(-5 * 24 - 1), draw },
        {
          kind: 'enter-result',
          since: isoTimeHoursFromNow(-2),
          draw: { ...draw, drawNumber: 1002 },
        },
      ],
    })
    .on('GET /api/clubs/1/pace', {
      body: [
        {
          drawNumber: 1001,
          lastDrawNumber: 1003,
          lastHomeTeam: 'Redcliffe Sharks',
          lastAwayTeam: 'Tweed',
          lastSold: 140,
        },
      ],
    });
  openDashboard();
  const toDo = within(await screen.findByRole('region', { name: /^To do 3/ }));
  expect(
    toDo.getAllByRole('listitem').map((item) => item.querySelector('strong')?.textContent),
  ).toEqual(['Mia Tran won $144.00', 'Pay Dan Okafor $422.50']);
  expect(toDo.getByText(/^Not told yet, 12 days late/)).toBeTruthy();
  expect(toDo.getByRole('link', { name: 'Pay Dan' }).getAttribute('href')).toBe(
    '/club/sharks/admin/results/1003',
  );
  expect((await findDrawCard('Redcliffe Sharks v Tweed')).getByText('Pay $422.50')).toBeTruthy();
  expect(
    (await findDrawCard('Redcliffe Sharks v Logan')).getByText(
      '27 fewer than last game at this time',
    ),
  ).toBeTruthy();
});

test('a ticket without a buyer counts neither in its draw nor in the sums', async () => {
  server.on('GET /api/clubs/1/stats', {
    body: {
      ...STATS_RESPONSE,
      ticketsWithoutBuyer: 1,
      drawsWithoutBuyers: [{ drawNumber: 1001, ticketsWithoutBuyer: 1, prize: '280.00' }],
    },
  });
  openDashboard();
  const of = await findDrawCard('Redcliffe Sharks v Logan');
  expect(await of.findByText('112 of 169')).toBeTruthy();
  expect(of.getByText(/prize \$280\.00/)).toBeTruthy();
  expect(screen.getByText('+1 without a buyer')).toBeTruthy();
});

test('a draw without sales can be cancelled after a question', async () => {
  const unsold = { ...ACTIVE_DRAW, ticketsSold: 0, ticketsHeld: 0 };
  server
    .on('GET /api/clubs/1/draws', { body: [unsold] })
    .on('POST /api/draws/1001/cancel', { body: { ...unsold, status: 'cancelled' } });
  openDashboard();
  const of = await findDrawCard('Redcliffe Sharks v Logan');
  await userEvent.click(of.getByRole('button', { name: /^Actions/ }));
  await userEvent.click(screen.getByRole('menuitem', { name: 'Cancel Draw' }));
  await userEvent.click(screen.getByRole('button', { name: 'Cancel this draw' }));
  expect(await screen.findByText('Redcliffe Sharks v Logan is cancelled')).toBeTruthy();
});

test('marketing cookies are asked for once', async () => {
  const { unmount } = openDashboard();
  await userEvent.click(await screen.findByRole('button', { name: 'Decline' }));
  expect(screen.queryByRole('button', { name: 'Allow' })).toBeNull();
  expect(localStorage.getItem('marketing_consent')).not.toBeNull();
  unmount();
  openDashboard();
  await findDrawCard('Redcliffe Sharks v Logan');
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
  openDashboard(vi.fn());
  const of = await findDrawCard('Redcliffe Sharks v Logan');
  await userEvent.click(of.getByRole('button', { name: /^Actions/ }));
  await userEvent.click(screen.getByRole('menuitem', { name: 'Details' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Draw Details' }));
  expect(await dialog.findByText('$534.00')).toBeTruthy();
  expect(dialog.getByText('$244.00')).toBeTruthy();
  expect(
    gameTimeText(ACTIVE_DRAW, () => {
      throw new Error('no such zone');
    }),
  ).toBe(ACTIVE_DRAW.gameDate.slice(0, 10));
  expect(gameTimeText({ gameDate: 'soon', timezone: 'x' })).toBe('soon');
});

test('a draw created elsewhere appears after ten seconds, however busy the socket is', async () => {
  vi.useFakeTimers({
    toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance', 'Date'],
  });
  const made = makeDraw({
    id: 9,
    drawNumber: 1009,
    awayTeam: 'Ipswich',
    gameDate: isoTimeHoursFromNow(9),
  });
  server
    .on('GET /api/clubs/1/draws', { body: [ACTIVE_DRAW] }, { body: [ACTIVE_DRAW, made] })
    .on('GET /api/draws/awaiting-results?clubId=1', { body: [] });
  const { store } = openDashboard();
  await act(() => vi.advanceTimersByTimeAsync(100));
  act(() => store.set(setSocketStateAtom, 'open'));
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
      makeDraw({
        drawNumber: 1004,
        awayTeam: 'Gympie',
        gameDate: isoTimeHoursFromNow(-300),
        status: 'cancelled',
      }),
    ],
  });
  openDashboard();
  const of = await findDrawCard('Redcliffe Sharks v Gympie');
  await userEvent.click(of.getByRole('button', { name: /^Actions/ }));
  expect(menuItemTexts()).toEqual([
    'View Public',
    'Details',
    'Download Report (PDF)',
    'Download Ticket Data (CSV)',
    'Archive Draw',
  ]);
});

test('Unarchive Draw lists an archived draw again', async () => {
  server
    .on('GET /api/clubs/1/draws', { body: [{ ...COMPLETED_DRAW, archived: true }] })
    .on('PATCH /api/draws/1003/archive', { body: COMPLETED_DRAW });
  openDashboard();
  const of = await findDrawCard('Redcliffe Sharks v Tweed');
  await userEvent.click(of.getByRole('button', { name: /^Actions/ }));
  await userEvent.click(screen.getByRole('menuitem', { name: 'Unarchive Draw' }));
  expect(await screen.findByText('Redcliffe Sharks v Tweed is listed again')).toBeTruthy();
});

test('an archived club can enter results and download, and disabled actions say why', async () => {
  openDashboard(undefined, makePageContext({ archived: true }));
  const text =
    'This club is archived. Its running draws finish and pay; nothing new can be started.';
  const of = await findDrawCard('Redcliffe Sharks v Logan');
  expect(screen.getByRole('button', { name: 'Create Draw' }).getAttribute('aria-disabled')).toBe(
    'true',
  );
  await userEvent.click(of.getByRole('button', { name: /^Actions/ }));
  const edit = screen.getByRole('menuitem', { name: new RegExp(`^Edit Draw ?${text}$`) });
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
  openDashboard();
  await userEvent.click(await screen.findByRole('button', { name: 'Connect Stripe account' }));
  expect(screen.getByRole('button', { name: 'Setting up...' }).getAttribute('aria-disabled')).toBe(
    'true',
  );
  await act(async () => answer(new Response('{"message":"Setup failed"}', { status: 502 })));
  const of = await findDrawCard('Redcliffe Sharks v Tweed');
  await userEvent.click(of.getByRole('button', { name: /^Actions/ }));
  await userEvent.click(screen.getByRole('menuitem', { name: 'Download Ticket Data (CSV)' }));
  expect(await screen.findByText('Download Failed')).toBeTruthy();
  await userEvent.click(of.getByRole('button', { name: /^Actions/ }));
  await userEvent.click(screen.getByRole('menuitem', { name: 'Details' }));
  await userEvent.click(screen.getByRole('button', { name: 'Poster with QR code (PDF)' }));
  expect((await screen.findAllByText('Download Failed')).length).toBeGreaterThan(0);
});

test('View Page opens a live page', async () => {
  openDashboard();
  expect((await screen.findByRole('link', { name: 'View Page' })).getAttribute('href')).toBe(
    '/club/sharks',
  );
  expect(screen.getByText('Club Profit')).toBeTruthy();
});
