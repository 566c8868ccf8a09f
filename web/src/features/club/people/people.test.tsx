import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ClubUser } from '@/api/wire-club';
import { makePageContext } from '@/testing/club-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { sessionExpiredAtom } from '../session/session-atoms';
import { PeoplePage } from './people';
import { invitationProblems, memberActivityText } from './people-rules';

const CLUB_LOGIN_USER: ClubUser = {
  id: 0,
  email: 'sharks@example.com',
  name: 'Sharks',
  role: 'owner',
  state: 'active',
  isClubLogin: true,
  invitedAt: null,
  invitedUntil: null,
  lastSeenAt: null,
};
const SELLER_KIM: ClubUser = {
  ...CLUB_LOGIN_USER,
  id: 5,
  email: 'kim@example.com',
  name: 'Kim',
  role: 'seller',
  isClubLogin: false,
  lastSeenAt: '2026-11-18T09:10:00Z',
};
const VIEWER_ALEX: ClubUser = {
  ...SELLER_KIM,
  id: 6,
  email: 'alex@example.com',
  name: 'Alex',
  role: 'viewer',
  state: 'invited',
  lastSeenAt: null,
  invitedUntil: '2026-11-20T09:10:00Z',
};
const LIST_USERS_CALL = 'GET /api/clubs/1/users';
let server: FakeServer;

beforeEach(() => {
  server = new FakeServer().on(LIST_USERS_CALL, {
    body: [CLUB_LOGIN_USER, SELLER_KIM, VIEWER_ALEX],
  });
});
afterEach(() => vi.unstubAllGlobals());

const openPeople = (more = {}) =>
  renderScreen(<PeoplePage here={makePageContext(more)} />, '/club/sharks/admin/people');
const findPerson = async (name: string) =>
  within((await screen.findByRole('heading', { name })).closest('li') as HTMLElement);
const chooseMenuItem = async (name: string, item: string) => {
  await userEvent.click(
    (await findPerson(name)).getByRole('button', { name: `Actions for ${name}` }),
  );
  await userEvent.click(screen.getByRole('menuitem', { name: item }));
};

test('all members are listed with role and state, and the club’s own login cannot be changed', async () => {
  openPeople();
  const own = await findPerson('The club’s own login (you)');
  expect(own.getByText('Owner')).toBeTruthy();
  expect(own.queryByRole('button')).toBeNull();
  expect((await findPerson('Kim')).getByText('Seller')).toBeTruthy();
  const alex = await findPerson('Alex');
  expect(alex.getByText('Invited')).toBeTruthy();
  expect(alex.getByText(/^The link works until Fri 20 Nov 2026, 7:10 pm/)).toBeTruthy();
  expect(memberActivityText({ state: 'expired', invitedUntil: null, lastSeenAt: null })).toBe(
    'The link was not used in time.',
  );
  expect(memberActivityText(SELLER_KIM)).toBe('Last here Wed 18 Nov 2026');
});

test('a club without members reads why to invite some, and a failed list can be retried', async () => {
  server.on(
    LIST_USERS_CALL,
    { status: 503, body: { message: 'Please wait a moment and try again.' } },
    { body: [CLUB_LOGIN_USER] },
  );
  openPeople();
  await userEvent.click(await screen.findByRole('button', { name: 'Retry' }));
  expect(await screen.findByText(/^Nobody else yet\./)).toBeTruthy();
});

test('an invitation is validated, sent, and refused with the server’s text at its field', async () => {
  expect(
    invitationProblems({ name: ' ', email: 'kim', role: 'seller' }).map(({ text }) => text),
  ).toEqual(['Name is required', 'Valid email is required']);
  const taken = 'This e-mail address is already used to sign in. Please use another one.';
  server.on(
    'POST /api/clubs/1/users',
    { status: 409, body: { code: 'email-in-use', message: taken } },
    { status: 429, body: { message: 'Too many invitations. Please wait an hour and try again.' } },
    { status: 201, body: VIEWER_ALEX },
  );
  openPeople();
  await userEvent.click(screen.getByRole('button', { name: 'Invite somebody' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Invite somebody' }));
  const send = () => userEvent.click(dialog.getByRole('button', { name: 'Send invitation' }));
  await send();
  expect(dialog.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Name is required',
    'Valid email is required',
  ]);
  await userEvent.type(dialog.getByLabelText('Name'), ' Alex ');
  await userEvent.type(dialog.getByLabelText('Email'), 'alex@example.com');
  await userEvent.click(dialog.getByRole('radio', { name: /^Viewer/ }));
  await send();
  const inForm = dialog.getAllByText(taken).filter((shown) => !shown.closest('.toast'));
  expect(inForm).toHaveLength(2);
  expect(dialog.getByLabelText('Email').getAttribute('aria-invalid')).toBe('true');
  await send();
  const refusal = dialog.getByText('Too many invitations. Please wait an hour and try again.');
  expect(refusal.getAttribute('role')).toBe('alert');
  await send();
  expect(await screen.findByText('Invitation sent')).toBeTruthy();
  expect(server.requests.findLast(({ method }) => method === 'POST')?.body).toEqual({
    name: 'Alex',
    email: 'alex@example.com',
    role: 'viewer',
  });
  expect(server.paths().filter((path) => path === LIST_USERS_CALL)).toHaveLength(2);
  expect(screen.queryByRole('dialog', { name: 'Invite somebody' })).toBeNull();
});

test('a role changes, an invitation is sent again, and a removal asks for confirmation', async () => {
  server
    .on('PATCH /api/clubs/1/users/5', { body: { ...SELLER_KIM, role: 'owner' } })
    .on('POST /api/clubs/1/users', { body: VIEWER_ALEX })
    .on('DELETE /api/clubs/1/users/5', { status: 204 });
  openPeople();
  await chooseMenuItem('Kim', 'Change role');
  const question = within(screen.getByRole('alertdialog', { name: 'Role of Kim' }));
  expect((question.getByRole('radio', { name: /^Seller/ }) as HTMLInputElement).checked).toBe(true);
  await userEvent.click(question.getByRole('radio', { name: /^Owner/ }));
  await userEvent.click(question.getByRole('button', { name: 'Save role' }));
  expect(await screen.findByText('Kim is an owner now')).toBeTruthy();
  expect(server.requests.find(({ method }) => method === 'PATCH')?.body).toEqual({ role: 'owner' });
  await chooseMenuItem('Alex', 'Send the invitation again');
  expect(await screen.findByText('Invitation sent')).toBeTruthy();
  expect(server.requests.find(({ method }) => method === 'POST')?.body).toMatchObject({
    name: 'Alex',
    email: 'alex@example.com',
    role: 'viewer',
  });
  await chooseMenuItem('Kim', 'Remove');
  await userEvent.click(
    within(screen.getByRole('alertdialog', { name: 'Remove Kim?' })).getByRole('button', {
      name: 'Remove',
    }),
  );
  expect(await screen.findByText('Kim is removed')).toBeTruthy();
  expect(server.paths()).toContain('DELETE /api/clubs/1/users/5');
});

test('an owner has no menu for forbidden actions, and a refusal shows the server’s text', async () => {
  server
    .on(LIST_USERS_CALL, { body: [CLUB_LOGIN_USER, { ...SELLER_KIM, role: 'owner' }, VIEWER_ALEX] })
    .on('DELETE /api/clubs/1/users/6', {
      status: 409,
      body: { code: 'own-account', message: 'Another owner of the club has to do this for you.' },
    });
  openPeople({ memberName: 'Kim', memberEmail: 'kim@example.com' });
  expect((await findPerson('Kim (you)')).queryByRole('button')).toBeNull();
  await chooseMenuItem('Alex', 'Remove');
  await userEvent.click(
    within(screen.getByRole('alertdialog', { name: 'Remove Alex?' })).getByRole('button', {
      name: 'Remove',
    }),
  );
  expect(await screen.findByText('Another owner of the club has to do this for you.')).toBeTruthy();
});

test('sellers and viewers read that only owners manage people, and nothing is requested', () => {
  for (const role of ['seller', 'viewer']) {
    const { unmount } = openPeople({ role, memberName: 'Kim' });
    expect(screen.getByText('Only an owner of the club can do this.')).toBeTruthy();
    unmount();
  }
  expect(server.paths()).toEqual([]);
});

test('the members of an archived club cannot be changed', async () => {
  openPeople({ archived: true });
  expect((await findPerson('Kim')).queryByRole('button')).toBeNull();
  expect(screen.queryByRole('button', { name: 'Invite somebody' })).toBeNull();
  expect(screen.getByText(/^This club is archived\./)).toBeTruthy();
});

test('a session that ended during an invitation opens the login over the page', async () => {
  server.on('POST /api/clubs/1/users', { status: 401 });
  const { store } = openPeople();
  await userEvent.click(screen.getByRole('button', { name: 'Invite somebody' }));
  const dialog = within(screen.getByRole('dialog', { name: 'Invite somebody' }));
  await userEvent.type(dialog.getByLabelText('Name'), 'Alex');
  await userEvent.type(dialog.getByLabelText('Email'), 'alex@example.com');
  await userEvent.click(dialog.getByRole('button', { name: 'Send invitation' }));
  await waitFor(() => expect(store.get(sessionExpiredAtom)).toBe(true));
  expect(dialog.getByLabelText('Name')).toHaveProperty('value', 'Alex');
});
