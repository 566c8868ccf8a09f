import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { makeWhoami, makeWinner, makeOwnDraw } from '@/testing/club-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { ClubPage } from '../frame/club-page';
import { ResultsPage } from '../results/results';

const COMPLETED_DRAW = makeOwnDraw({
  status: 'completed',
  gameDate: '2020-11-20T09:10:00Z',
  revision: 6,
});
const BANK_DETAILS = {
  accountName: 'Robin',
  accountNumber: '••••321',
  bsb: '•••-•00',
  receivedAt: '2026-11-21T00:00:00Z',
  from: 'club',
  pendingApproval: null,
};
const REAUTHENTICATION_REQUIRED_RESPONSE = {
  status: 403,
  body: {
    code: 'reauthentication-required',
    message: 'Confirm that it is you: enter your password.',
  },
};
const PAYOUT_CALL = 'POST /api/draws/1042/payouts';
const REAUTHENTICATE_BY_PASSWORD_CALL = 'POST /api/auth/reauthenticate';
const REAUTHENTICATE_BY_CODE_CALL = 'POST /api/admin/reauthenticate';
let server: FakeServer;

beforeEach(() => {
  server = new FakeServer()
    .on('GET /api/admin/whoami', { body: makeWhoami() })
    .on('GET /api/draws/1042', { body: COMPLETED_DRAW })
    .on('GET /api/draws/1042/payouts', { body: [] })
    .on('GET /api/draws/1042/winners', {
      body: {
        winningTickets: [
          makeWinner({ winnerPayoutStatus: 'details_received', bank: BANK_DETAILS }),
        ],
        prize: '290.00',
        notified: true,
      },
    })
    .on(PAYOUT_CALL, REAUTHENTICATION_REQUIRED_RESPONSE, { body: { id: 5 } })
    .on('PATCH /api/payouts/5', { body: { id: 5 } })
    .on(REAUTHENTICATE_BY_PASSWORD_CALL, {
      body: { reauthenticatedUntil: '2026-11-21T00:10:00Z' },
    });
});
afterEach(() => vi.unstubAllGlobals());

const callCount = (call: string) => server.paths().filter((path) => path === call).length;
const findReauthenticationDialog = async () =>
  within(await screen.findByRole('dialog', { name: 'Confirm it is you' }));

async function recordPayout() {
  renderScreen(
    <ClubPage slug="sharks" page="results/1042">
      {(here) => <ResultsPage here={here} number={1042} />}
    </ClubPage>,
    '/club/sharks/admin/results/1042',
  );
  await userEvent.click(await screen.findByRole('button', { name: /^I have paid Robin/ }));
  const confirm = await screen.findByRole('button', { name: 'I have paid $290.00' });
  await userEvent.click(confirm);
  return confirm;
}

test('a request that needs fresh proof is repeated once after the right password', async () => {
  server.on(
    REAUTHENTICATE_BY_PASSWORD_CALL,
    { status: 400, body: { code: 'wrong-password', message: 'Invalid credentials' } },
    { body: { reauthenticatedUntil: '2026-11-21T00:10:00Z' } },
  );
  await recordPayout();
  const dialog = await findReauthenticationDialog();
  expect(dialog.getByLabelText('Password')).toBe(document.activeElement);
  await userEvent.keyboard('wrong{Enter}');
  expect(await dialog.findByText('Invalid credentials')).toBeTruthy();
  expect(dialog.getByLabelText('Password')).toBe(document.activeElement);
  expect((dialog.getByLabelText('Password') as HTMLInputElement).value).toBe('');
  expect(callCount(PAYOUT_CALL)).toBe(1);
  await userEvent.keyboard('right{Enter}');
  await waitFor(() => expect(callCount(PAYOUT_CALL)).toBe(2));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(
    server.requests.filter(({ path }) => path.endsWith('reauthenticate')).map(({ body }) => body),
  ).toEqual([{ password: 'wrong' }, { password: 'right' }]);
});

test('a second refusal after the password shows an error and asks nothing more', async () => {
  server.on(PAYOUT_CALL, REAUTHENTICATION_REQUIRED_RESPONSE);
  await recordPayout();
  await findReauthenticationDialog();
  await userEvent.keyboard('right{Enter}');
  expect(await screen.findByText('Confirm that it is you: enter your password.')).toBeTruthy();
  expect(callCount(PAYOUT_CALL)).toBe(2);
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a cancelled prompt sends nothing and shows no error', async () => {
  const record = await recordPayout();
  await userEvent.click(
    (await findReauthenticationDialog()).getByRole('button', { name: 'Cancel' }),
  );
  await waitFor(() => expect((record as HTMLButtonElement).disabled).toBe(false));
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(screen.queryByRole('alert')).toBeNull();
  expect([callCount(PAYOUT_CALL), callCount(REAUTHENTICATE_BY_PASSWORD_CALL)]).toEqual([1, 0]);
});

test('a session that ended meanwhile leads to the login', async () => {
  server.on(REAUTHENTICATE_BY_PASSWORD_CALL, {
    status: 401,
    body: { code: 'unauthenticated', message: 'Please log in.' },
  });
  await recordPayout();
  await findReauthenticationDialog();
  await userEvent.keyboard('right{Enter}');
  expect(await screen.findByRole('dialog', { name: 'Log in again' })).toBeTruthy();
  expect(screen.queryByRole('dialog', { name: 'Confirm it is you' })).toBeNull();
  expect(callCount(PAYOUT_CALL)).toBe(1);
});

test('the operator enters a code, and a wrong code keeps the session', async () => {
  server
    .on('GET /api/admin/whoami', { body: makeWhoami({ isAdmin: true, clubSlug: null, id: 9 }) })
    .on('GET /api/clubs/sharks', {
      body: { id: 1, name: 'Sharks', slug: 'sharks', canonicalSlug: 'sharks' },
    })
    .on(
      REAUTHENTICATE_BY_CODE_CALL,
      { status: 401, body: { code: 'wrong-code', message: 'That code is not right.' } },
      { body: { reauthenticatedUntil: '2026-11-21T00:10:00Z' } },
    );
  await recordPayout();
  const dialog = await findReauthenticationDialog();
  await userEvent.type(dialog.getByLabelText('Six-digit code'), '000000{Enter}');
  expect(await dialog.findByText('That code is not right.')).toBeTruthy();
  await userEvent.type(dialog.getByLabelText('Six-digit code'), '123 456{Enter}');
  await waitFor(() => expect(callCount(PAYOUT_CALL)).toBe(2));
  expect(
    server.requests.filter(({ path }) => path.endsWith('reauthenticate')).map(({ body }) => body),
  ).toEqual([{ code: '000000' }, { code: '123456' }]);
});

test('the password for the full bank numbers is typed once', async () => {
  const reveal = 'POST /api/draws/1042/winner-bank/reveal';
  server.on(reveal, REAUTHENTICATION_REQUIRED_RESPONSE, {
    body: { accountName: 'Robin', accountNumber: '87654321', bsb: '062-000' },
  });
  renderScreen(
    <ClubPage slug="sharks" page="results/1042">
      {(here) => <ResultsPage here={here} number={1042} />}
    </ClubPage>,
    '/club/sharks/admin/results/1042',
  );
  await userEvent.click(await screen.findByRole('button', { name: 'Show full numbers' }));
  await userEvent.type(
    within(screen.getByRole('dialog')).getByLabelText('Password'),
    'right{Enter}',
  );
  expect(await screen.findByText('87654321')).toBeTruthy();
  expect([callCount(reveal), callCount(REAUTHENTICATE_BY_PASSWORD_CALL)]).toEqual([2, 1]);
});
