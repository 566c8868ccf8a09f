import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { queryClientAtom } from '@/api/query-client-atoms';
import { makeUser, makeWhoami } from '@/testing/club-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { clubQueryKey } from '../data/query-atoms';
import { AdminHome } from '../session/admin-home';
import { sessionExpiredAtom, sessionAtom } from '../session/session-atoms';
import { ClubPage } from './club-page';

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const clubPageElement = (slug?: string, more: Partial<Parameters<typeof ClubPage>[0]> = {}) => (
  <ClubPage slug={slug} page="create-draw" {...more}>
    {({ club }) => <main>{`${club.slug} ${club.id}`}</main>}
  </ClubPage>
);
const expectPath = (path: string) => waitFor(() => expect(window.location.pathname).toBe(path));

test('a club opens its own address and is redirected there from another club’s', async () => {
  new FakeServer().on('GET /api/admin/whoami', { body: makeWhoami() });
  const { unmount } = renderScreen(clubPageElement('sharks'), '/club/sharks/admin/create-draw');
  expect(await screen.findByText('sharks 1')).toBeTruthy();
  unmount();
  renderScreen(clubPageElement('tigers'), '/club/tigers/admin/create-draw');
  await expectPath('/club/sharks/admin/create-draw');
});

test('a guest is redirected to the login with a reason, or reads it on the page', async () => {
  new FakeServer().on('GET /api/admin/whoami', { status: 401 });
  const { unmount } = renderScreen(
    clubPageElement(undefined, {
      guestToast: {
        title: 'Authentication required',
        text: 'Please log in to create a draw.',
        bad: true,
      },
    }),
    '/admin/create-draw',
  );
  await expectPath('/admin/login');
  expect(window.location.search).toBe('?next=%2Fadmin%2Fcreate-draw');
  expect(screen.getByText('Please log in to create a draw.')).toBeTruthy();
  unmount();
  renderScreen(
    clubPageElement(undefined, { guestText: 'Please log in to access this page.' }),
    '/admin/home-page-setup',
  );
  expect(
    await screen.findByRole('heading', { name: 'Please log in to access this page.' }),
  ).toBeTruthy();
});

test('the operator without a club goes to /admin and can open any club’s address', async () => {
  new FakeServer()
    .on('GET /api/admin/whoami', { body: makeWhoami({ isAdmin: true, clubSlug: null, id: 9 }) })
    .on('GET /api/clubs/tigers', {
      body: { id: 2, name: 'Tigers', slug: 'tigers', canonicalSlug: 'tigers' },
    });
  const { unmount } = renderScreen(clubPageElement(undefined), '/admin/create-draw');
  await expectPath('/admin');
  unmount();
  renderScreen(clubPageElement('tigers'), '/club/tigers/admin/create-draw');
  expect(await screen.findByText('tigers 2')).toBeTruthy();
});

test('/admin redirects a club to its dashboard and keeps the operator, with a link to the console', async () => {
  new FakeServer().on(
    'GET /api/admin/whoami',
    { body: makeWhoami() },
    { body: makeWhoami({ isAdmin: true, clubSlug: null }) },
  );
  const { unmount } = renderScreen(<AdminHome />, '/admin');
  await expectPath('/club/sharks/admin');
  unmount();
  renderScreen(<AdminHome />, '/admin');
  expect(
    (await screen.findByRole('link', { name: 'Super admin console' })).getAttribute('href'),
  ).toBe('/super-admin');
  expect(window.location.pathname).toBe('/admin');
});

test('a failed session check shows the empty dashboard, and a 401 for its data opens the login', async () => {
  new FakeServer()
    .on('GET /api/admin/whoami', { status: 503 })
    .on('GET /api/clubs/0/stats', { status: 503 });
  const { unmount } = renderScreen(<AdminHome />, '/admin');
  expect(await screen.findByRole('heading', { name: 'Dashboard' })).toBeTruthy();
  expect(screen.getByText('Total Revenue')).toBeTruthy();
  expect(window.location.pathname).toBe('/admin');
  unmount();
  new FakeServer()
    .on('GET /api/admin/whoami', { status: 401 })
    .on('GET /api/clubs/0/stats', { status: 401 });
  renderScreen(<AdminHome />, '/admin');
  await expectPath('/admin/login');
});

test('an expired session opens the login over the page and keeps its content', async () => {
  new FakeServer()
    .on('GET /api/admin/whoami', { body: makeWhoami() })
    .on(
      'POST /api/clubs/login',
      { status: 401, body: { message: 'Invalid credentials' } },
      { body: makeUser() },
    );
  const { store } = renderScreen(clubPageElement('sharks'), '/club/sharks/admin/create-draw');
  await screen.findByText('sharks 1');
  store.set(sessionExpiredAtom, true);
  expect(await screen.findByRole('dialog', { name: 'Log in again' })).toBeTruthy();
  await userEvent.type(screen.getByLabelText('Password'), 'demo-password');
  await userEvent.click(screen.getByRole('button', { name: 'Login' }));
  expect(await screen.findByText('Invalid credentials')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Login' }));
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Log in again' })).toBeNull());
  expect(screen.getByText('sharks 1')).toBeTruthy();
});

test('logging out ends the session on the server and clears the user and the cached data', async () => {
  localStorage.setItem('user', JSON.stringify(makeUser()));
  const server = new FakeServer()
    .on('GET /api/admin/whoami', { body: makeWhoami() })
    .on('POST /api/auth/logout', { status: 204 });
  const { store } = renderScreen(clubPageElement('sharks'), '/club/sharks/admin');
  await screen.findByText('sharks 1');
  await userEvent.click(await screen.findByRole('button', { name: /Logout|Menu/ }));
  const inMenu = screen.queryByRole('button', { name: 'Logout' });
  if (window.location.pathname !== '/admin/login' && inMenu) await userEvent.click(inMenu);
  await expectPath('/admin/login');
  expect(server.paths()).toContain('POST /api/auth/logout');
  expect(localStorage.getItem('user')).toBeNull();
  const cached = store.get(queryClientAtom).getQueryCache().getAll();
  expect(cached.map((query) => query.state.data).filter(Boolean)).toEqual([]);
});

test.each([
  ['nobody answers', new TypeError('Failed to fetch')],
  ['the server is busy', { status: 503, body: { message: 'Busy.' } }],
])(
  'a logout while %s changes nothing and shows an error, and an ended session counts as logged out',
  async (_why, answer) => {
    localStorage.setItem('user', JSON.stringify(makeUser()));
    new FakeServer()
      .on('GET /api/admin/whoami', { body: makeWhoami() })
      .on('POST /api/auth/logout', answer, { status: 401 });
    const { store } = renderScreen(clubPageElement('sharks'), '/club/sharks/admin');
    await screen.findByText('sharks 1');
    const logout = () => userEvent.click(screen.getByRole('button', { name: 'Logout' }));
    await logout();
    const toast = await screen.findByText('Logout failed');
    expect(toast.parentElement?.textContent).toContain('Please try again.');
    expect([window.location.pathname, store.get(sessionAtom).state]).toEqual([
      '/club/sharks/admin',
      'in',
    ]);
    expect(localStorage.getItem('user')).not.toBeNull();
    await logout();
    await expectPath('/admin/login');
    expect(localStorage.getItem('user')).toBeNull();
  },
);

test('a slow answer at /admin shows the dashboard without data and then redirects', async () => {
  vi.useFakeTimers();
  let answer: (value: Response) => void = () => {};
  vi.stubGlobal('fetch', () => new Promise<Response>((resolve) => (answer = resolve)));
  renderScreen(<AdminHome />, '/admin');
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Loading');
  await act(() => vi.advanceTimersByTimeAsync(300));
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Dashboard');
  await act(async () => answer(new Response(JSON.stringify(makeWhoami()), { status: 200 })));
  await act(() => vi.advanceTimersByTimeAsync(10));
  expect(window.location.pathname).toBe('/club/sharks/admin');
});

test('the operator reads whether a club’s address is unknown or does not answer', async () => {
  for (const [status, text] of [
    [404, 'Club page not found'],
    [500, 'Failed to load club page'],
  ] as const) {
    new FakeServer()
      .on('GET /api/admin/whoami', { body: makeWhoami({ isAdmin: true, clubSlug: null, id: 9 }) })
      .on('GET /api/clubs/nobody', { status });
    const { unmount } = renderScreen(clubPageElement('nobody'), '/club/nobody/admin/create-draw');
    expect(await screen.findByRole('heading', { name: text })).toBeTruthy();
    unmount();
  }
});

test('a member logs in again under their own address, not the club’s', async () => {
  new FakeServer().on('GET /api/admin/whoami', {
    body: makeWhoami({ role: 'seller', memberName: 'Kim', memberEmail: 'kim@example.com' }),
  });
  const { store } = renderScreen(clubPageElement('sharks'), '/club/sharks/admin/create-draw');
  await screen.findByText('sharks 1');
  store.set(sessionExpiredAtom, true);
  await screen.findByRole('dialog', { name: 'Log in again' });
  expect(screen.getByLabelText('Email')).toHaveProperty('value', 'kim@example.com');
});

test('a login by another member over the page clears the previous member’s data', async () => {
  localStorage.setItem('user', JSON.stringify(makeUser()));
  const kim = makeUser({ role: 'viewer', memberName: 'Kim', memberEmail: 'kim@example.com' });
  new FakeServer()
    .on('GET /api/admin/whoami', { body: makeWhoami() })
    .on('POST /api/clubs/login', { body: makeUser() }, { body: kim });
  const { store } = renderScreen(clubPageElement('sharks'), '/club/sharks/admin/create-draw');
  await screen.findByText('sharks 1');
  const client = store.get(queryClientAtom);
  const winnersKey = clubQueryKey('/api/draws/1042/winners');
  const logsIn = async () => {
    client.setQueryData(winnersKey, { prize: '290.00' });
    store.set(sessionExpiredAtom, true);
    await userEvent.type(await screen.findByLabelText('Password'), 'demo-password');
    await userEvent.click(screen.getByRole('button', { name: 'Login' }));
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Log in again' })).toBeNull());
    return client.getQueryData(winnersKey);
  };
  expect(await logsIn()).toEqual({ prize: '290.00' });
  expect(await logsIn()).toBeUndefined();
  localStorage.clear();
});
