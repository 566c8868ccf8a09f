import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { makeWhoami } from '@/testing/club-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { ClubPage } from '../frame/club-page';
import { AccountStatusNotice } from './account-notices';

afterEach(() => vi.unstubAllGlobals());

const WHOAMI_CALL = 'GET /api/admin/whoami';
const SEND_EMAIL_CALL = 'POST /api/clubs/1/verification-email';
const UNCONFIRMED_EMAIL_RESPONSE = { body: makeWhoami({ emailVerified: false }) };
const renderAccountStatusNotice = () =>
  renderScreen(
    <ClubPage slug="sharks" page="">
      {({ user }) => <AccountStatusNotice user={user} />}
    </ClubPage>,
    '/club/sharks/admin',
  );
const pressSendAgain = async () =>
  userEvent.click(await screen.findByRole('button', { name: 'Send again' }));

test('sending the link again shows a confirmation, and a rate limit shows an error', async () => {
  const tooMany = 'Too many attempts. Please wait a moment and try again.';
  new FakeServer()
    .on(WHOAMI_CALL, UNCONFIRMED_EMAIL_RESPONSE)
    .on(
      SEND_EMAIL_CALL,
      { status: 202, body: { message: 'We have sent you a new link.' } },
      { status: 429, body: { code: 'too-many-requests', message: tooMany } },
    );
  renderAccountStatusNotice();
  await pressSendAgain();
  expect(await screen.findByText('We have sent you a new link.')).toBeTruthy();
  await pressSendAgain();
  expect((await screen.findByRole('alert')).textContent).toBe(`Error${tooMany}`);
  expect(screen.getByText(/^Please confirm your email address/)).toBeTruthy();
});

test('an address confirmed elsewhere shows as confirmed and ends the reminder', async () => {
  new FakeServer()
    .on(WHOAMI_CALL, UNCONFIRMED_EMAIL_RESPONSE, { body: makeWhoami() })
    .on(SEND_EMAIL_CALL, { body: { message: 'This address is confirmed.' } });
  renderAccountStatusNotice();
  await pressSendAgain();
  await waitFor(() => expect(screen.queryByText(/^Please confirm your email address/)).toBeNull());
  expect(screen.getByText('This address is confirmed.')).toBeTruthy();
  expect(JSON.parse(localStorage.getItem('user') ?? '{}')).toMatchObject({ emailVerified: true });
});
