import { act, fireEvent, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { configAtom } from '@/features/shared-live/live-atoms';
import { makePageContext } from '@/testing/club-data';
import { makeConfig } from '@/testing/config-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { CreateDrawPage } from './create-draw';

const LAST_CREATED_DRAW = {
  league: 'A Grade',
  homeTeam: 'Sharks',
  awayTeam: 'Norths',
  gameDate: '2099-12-04T19:10',
  timezone: 'Australia/Sydney',
  ticketPrice: '5.00',
  prizePercentage: 50,
  passStripeFees: true,
  roundUpPrize: false,
  contactName: 'Kim',
  contactPhone: '0400',
};
let server: FakeServer;

beforeEach(() => {
  server = new FakeServer().on('GET /api/clubs/1/draw-template', { body: LAST_CREATED_DRAW });
});
afterEach(() => vi.unstubAllGlobals());

const openCreateForm = () =>
  renderScreen(<CreateDrawPage here={makePageContext()} />, '/club/sharks/admin/create-draw');
const pressDuplicate = () =>
  userEvent.click(screen.getByRole('button', { name: 'Duplicate last draw' }));

test('while the club must bear the card fee, a duplicated older draw is calculated with it', async () => {
  const { store } = openCreateForm();
  act(() => store.set(configAtom, makeConfig()));
  await pressDuplicate();
  expect(await screen.findByText('Buyers pay the card fees.')).toBeTruthy();
  act(() => store.set(configAtom, makeConfig({ feePassthroughAllowed: false })));
  // 169 × $5 = $845, less the platform fee of $11 (the cap) and $23.37 of card fees. The breakdown
  // and the line above the button show the sum.
  expect(screen.getAllByText('$810.63')).toHaveLength(2);
  expect(screen.getByText('−$23.37')).toBeTruthy();
  expect(screen.queryByText('Buyers pay the card fees.')).toBeNull();
});

test('a club without a draw reads that there is none to duplicate, and a failure shows as an error', async () => {
  server.on(
    'GET /api/clubs/1/draw-template',
    { status: 404, body: { code: 'not-found', message: 'Not found' } },
    { status: 503, body: { message: 'x' } },
  );
  openCreateForm();
  await pressDuplicate();
  expect(await screen.findByText('There is no draw to duplicate yet.')).toBeTruthy();
  await pressDuplicate();
  expect(await screen.findByText('Please try again.')).toBeTruthy();
});

test('a game already on sale is not created again: its draw is linked and the input stays', async () => {
  const text = 'This game is on sale already as draw 1042.';
  server
    .on('GET /api/terms/service', {
      body: { kind: 'service', version: '1.0', title: 'Terms of Service', text: 'First.' },
    })
    .on('POST /api/terms/accept', { body: { id: 1 } })
    .on('POST /api/draws/check', { status: 204 })
    .on('POST /api/draws', {
      status: 409,
      body: { code: 'draw-exists', message: text, drawNumber: 1042 },
    });
  const { unmount } = openCreateForm();
  await pressDuplicate();
  await screen.findByDisplayValue('Norths');
  await userEvent.click(screen.getByRole('button', { name: 'Create Draw' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Terms of Service' }));
  await dialog.findByText('First.');
  fireEvent.click(dialog.getByLabelText('I have read and agree to the Terms of Service'));
  await userEvent.click(dialog.getByRole('button', { name: 'Create Draw' }));
  const link = await screen.findByRole('link', { name: 'View Public' });
  expect(link.getAttribute('href')).toBe('/draw/1042');
  expect(link.closest('[role="alert"]')?.textContent).toContain(text);
  expect(window.location.pathname).toBe('/club/sharks/admin/create-draw');
  unmount();
  openCreateForm();
  expect(screen.getByDisplayValue('Norths')).toBeTruthy();
});

test('a draw that the server refuses never shows the terms', async () => {
  server.on(
    'POST /api/draws/check',
    {
      status: 400,
      body: {
        code: 'invalid',
        message: 'x',
        errors: [{ field: 'gameDate', message: 'Game date must be in the future' }],
      },
    },
    {
      status: 409,
      body: { code: 'draw-exists', message: 'This game is on sale already.', drawNumber: 1042 },
    },
  );
  openCreateForm();
  await pressDuplicate();
  await screen.findByDisplayValue('Norths');
  const create = screen.getByRole('button', { name: 'Create Draw' });
  await userEvent.click(create);
  expect((await screen.findAllByText('Game date must be in the future')).length).toBeGreaterThan(1);
  await userEvent.click(create);
  expect(await screen.findByRole('link', { name: 'View Public' })).toBeTruthy();
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(server.paths()).not.toContain('POST /api/terms/accept');
  expect(server.paths()).not.toContain('POST /api/draws');
});
