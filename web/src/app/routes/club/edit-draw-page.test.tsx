import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';
import { REASON_REQUIRED_TEXT } from '@/shared/reason-required';
import { makeOwnClub, makeOwnDraw, makeWhoami } from '@/testing/club-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { Page } from './edit-draw-page';

afterEach(() => vi.unstubAllGlobals());

const EDITED_DRAW = makeOwnDraw({
  clubId: 1,
  gameDate: '2099-11-20T09:10:00Z',
  ticketsSold: 0,
  contactName: 'Kim',
  contactPhone: '0400 000 000',
});
const CHANGE_DRAW_CALL = 'PATCH /api/draws/1042';
const CODE_REQUIRED_RESPONSE = {
  status: 403,
  body: {
    code: 'reauthentication-required',
    message: 'Confirm that it is you: enter the code of your authenticator.',
  },
};

const startServer = (isAdmin: boolean) =>
  new FakeServer()
    .on('GET /api/admin/whoami', { body: makeWhoami({ isAdmin, id: isAdmin ? 9 : 1 }) })
    .on('GET /api/clubs/sharks', { body: makeOwnClub() })
    .on('GET /api/draws/1042', { body: EDITED_DRAW });
const openPage = async () => {
  renderScreen(
    <Page params={{ slug: 'sharks', draw: '1042' }} />,
    '/club/sharks/admin/edit-draw/1042',
  );
  await screen.findByRole('button', { name: 'Save changes' });
};
const pressSave = () => userEvent.click(screen.getByRole('button', { name: 'Save changes' }));
const recordedChangeRequests = (server: FakeServer) =>
  server.requests
    .filter(({ method }) => method === 'PATCH')
    .map(({ body }) => (body as { reason?: string }).reason);

test('operator changes a club’s draw with a reason and a code', async () => {
  const server = startServer(true)
    .on(CHANGE_DRAW_CALL, CODE_REQUIRED_RESPONSE, { body: EDITED_DRAW })
    .on('POST /api/admin/reauthenticate', {
      body: { reauthenticatedUntil: '2099-01-01T00:00:00Z' },
    });
  await openPage();
  await pressSave();
  expect(screen.getAllByText(REASON_REQUIRED_TEXT)).not.toHaveLength(0);
  expect(recordedChangeRequests(server)).toEqual([]);
  await userEvent.type(screen.getByLabelText('Reason'), ' The club asked by phone ');
  await pressSave();
  await userEvent.type(await screen.findByLabelText('Six-digit code'), '222222');
  expect(await screen.findByText('Draw updated')).toBeTruthy();
  expect(recordedChangeRequests(server)).toEqual([
    'The club asked by phone',
    'The club asked by phone',
  ]);
});

test('operator who gives no code changes nothing and can save again', async () => {
  const server = startServer(true).on(CHANGE_DRAW_CALL, CODE_REQUIRED_RESPONSE);
  await openPage();
  await userEvent.type(screen.getByLabelText('Reason'), 'A typing error');
  await pressSave();
  await userEvent.click(await screen.findByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByLabelText('Six-digit code')).toBeNull());
  expect(screen.queryByText('Failed to update draw')).toBeNull();
  await pressSave();
  expect(await screen.findByLabelText('Six-digit code')).toBeTruthy();
  expect(recordedChangeRequests(server)).toHaveLength(2);
});

test('club gives no reason', async () => {
  const server = startServer(false).on(CHANGE_DRAW_CALL, { body: EDITED_DRAW });
  await openPage();
  expect(screen.queryByLabelText('Reason')).toBeNull();
  await pressSave();
  expect(await screen.findByText('Draw updated')).toBeTruthy();
  expect(recordedChangeRequests(server)).toEqual([undefined]);
});
