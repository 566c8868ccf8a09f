import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { configAtom } from '@/features/shared-live/live-atoms';
import { makeOwnDraw, makePageContext } from '@/testing/club-data';
import { makeConfig } from '@/testing/config-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { sessionExpiredAtom } from '../session/session-atoms';
import { CreateDrawPage } from './create-draw';
import { EditDrawPage } from './edit-draw';

const FUTURE_DRAW = makeOwnDraw({
  gameDate: '2099-11-20T09:10:00Z',
  ticketsSold: 0,
  contactName: 'Kim',
  contactPhone: '0400 000 000',
});
let server: FakeServer;

beforeEach(() => {
  server = new FakeServer()
    .on('GET /api/terms/service', {
      body: {
        kind: 'service',
        version: '1.0',
        title: 'Terms of Service',
        text: 'First.\n\nSecond.',
      },
    })
    .on('POST /api/draws/check', { status: 204 })
    .on('POST /api/terms/accept', { body: { id: 1 } });
});
afterEach(() => vi.unstubAllGlobals());

function fillDrawForm() {
  const values = {
    'Home team': 'Sharks',
    'Away team': 'Tigers',
    'Game date': '2099-11-27',
    'Contact name': 'Kim',
    'Contact phone': 'call 0400 000 000',
  };
  for (const [label, value] of Object.entries(values))
    fireEvent.change(screen.getByLabelText(label), { target: { value } });
}
const pressButton = (name: string) =>
  userEvent.click(screen.getAllByRole('button', { name }).at(-1) as HTMLElement);
const submitNewDraw = async () => {
  await userEvent.click(screen.getAllByRole('button', { name: 'Create Draw' })[0] as HTMLElement);
  return within(await screen.findByRole('dialog', { name: 'Terms of Service' }));
};

test('an empty form lists what is missing, and each line links to its field', async () => {
  renderScreen(<CreateDrawPage here={makePageContext()} />, '/club/sharks/admin/create-draw');
  await pressButton('Create Draw');
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Home team is required',
    'Away team is required',
    'Game date is required',
    'Contact name is required',
    'Contact phone is required',
  ]);
  await userEvent.click(screen.getByRole('link', { name: 'Away team is required' }));
  expect(document.activeElement).toBe(screen.getByLabelText('Away team'));
});

const priceMinAndPrizeChoices = () => {
  const prizes = [...(screen.getByLabelText('Prize percentage') as HTMLSelectElement).options];
  return {
    min: (screen.getByLabelText('Ticket price ($)') as HTMLInputElement).min,
    prizes: prizes.map(({ text }) => text),
    chosen: prizes.find(({ selected }) => selected)?.text,
  };
};

test('a new draw offers prizes from 40 to 70 percent, an edited one four and its own, each with its minimum price', async () => {
  const { unmount } = renderScreen(
    <CreateDrawPage here={makePageContext()} />,
    '/club/sharks/admin/create-draw',
  );
  expect(priceMinAndPrizeChoices()).toEqual({
    min: '0',
    prizes: ['40%', '45%', '50%', '55%', '60%', '65%', '70%'],
    chosen: '50%',
  });
  unmount();
  server.on('GET /api/draws/1042', {
    body: { ...FUTURE_DRAW, locked: false, prizePercentage: 60 },
  });
  renderScreen(<EditDrawPage here={makePageContext()} number={1042} />, '/admin/edit-draw/1042');
  await screen.findByRole('button', { name: 'Save changes' });
  expect(priceMinAndPrizeChoices()).toEqual({
    min: '0.01',
    prizes: ['40%', '50%', '60%', '70%'],
    chosen: '60%',
  });
});

test('a draw is created only after the agreement to the terms is recorded', async () => {
  server
    .on('POST /api/terms/accept', { status: 500 }, { body: { id: 1 } })
    .on('POST /api/draws', { body: FUTURE_DRAW });
  renderScreen(<CreateDrawPage here={makePageContext()} />, '/club/sharks/admin/create-draw');
  fillDrawForm();
  const dialog = await submitNewDraw();
  expect(await dialog.findByText('Second.')).toBeTruthy();
  await userEvent.click(dialog.getByRole('button', { name: 'Create Draw' }));
  expect(
    dialog.getByText(
      'Agreement Required: Please check the box to agree to the Terms of Service before proceeding',
    ),
  ).toBeTruthy();
  expect(screen.getByText('Agreement Required')).toBeTruthy();
  expect(server.paths()).not.toContain('POST /api/terms/accept');
  await userEvent.click(dialog.getByLabelText('I have read and agree to the Terms of Service'));
  await userEvent.click(dialog.getByRole('button', { name: 'Create Draw' }));
  expect(
    (await screen.findAllByText('Error recording your agreement. Please try again.')).length,
  ).toBe(2);
  expect(server.paths()).not.toContain('POST /api/draws');
  await userEvent.click(dialog.getByRole('button', { name: 'Create Draw' }));
  await waitFor(() => expect(window.location.pathname).toBe('/admin'));
  expect(server.requests.find(({ path }) => path === '/api/terms/accept')?.body).toMatchObject({
    clubId: 1,
    ipAddress: null,
    termsVersion: '1.0',
  });
  expect(
    server.requests.find(({ path, method }) => path === '/api/draws' && method === 'POST')?.body,
  ).toEqual({
    clubId: 1,
    league: null,
    homeTeam: 'Sharks',
    awayTeam: 'Tigers',
    gameDate: '2099-11-27T15:00',
    timezone: 'Australia/Brisbane',
    contactName: 'Kim',
    contactPhone: '0400 000 000',
    ticketPrice: '5.00',
    prizePercentage: 50,
    passStripeFees: false,
    roundUpPrize: false,
  });
});

test('a refusal shows the server’s text, its fields or the fallback text', async () => {
  server.on(
    'POST /api/draws',
    {
      status: 403,
      body: { code: 'setup-required', message: 'Connect Stripe account first to create draws' },
    },
    {
      status: 400,
      body: {
        code: 'invalid',
        message: 'x',
        errors: [{ field: 'gameDate', message: 'Game date must be in the future' }],
      },
    },
    { status: 500 },
  );
  renderScreen(<CreateDrawPage here={makePageContext()} />, '/club/sharks/admin/create-draw');
  fillDrawForm();
  const again = async () => {
    const dialog = await submitNewDraw();
    await userEvent.click(dialog.getByLabelText('I have read and agree to the Terms of Service'));
    await userEvent.click(dialog.getByRole('button', { name: 'Create Draw' }));
  };
  await again();
  expect((await screen.findAllByText('Failed to create draw')).length).toBe(2);
  expect(
    screen.getAllByText('Connect Stripe account first to create draws').length,
  ).toBeGreaterThan(0);
  const agreed = async () =>
    userEvent.click((await submitNewDraw()).getByRole('button', { name: 'Create Draw' }));
  await agreed();
  expect((await screen.findAllByText('Game date must be in the future')).length).toBeGreaterThan(1);
  await agreed();
  expect((await screen.findAllByText('Please try again.')).length).toBeGreaterThan(0);
  expect((screen.getByLabelText('Home team') as HTMLInputElement).value).toBe('Sharks');
});

test('the last draw is duplicated one week later, and a draft survives a reload', async () => {
  server.on('GET /api/clubs/1/draw-template', {
    body: {
      league: 'A Grade',
      homeTeam: 'Sharks',
      awayTeam: 'Norths',
      gameDate: '2099-12-04T19:10',
      timezone: 'Australia/Sydney',
      ticketPrice: '8.00',
      prizePercentage: 60,
      passStripeFees: true,
      roundUpPrize: true,
      contactName: 'Kim',
      contactPhone: '0400',
    },
  });
  const { unmount } = renderScreen(
    <CreateDrawPage here={makePageContext()} />,
    '/club/sharks/admin/create-draw',
  );
  await pressButton('Duplicate last draw');
  await waitFor(() =>
    expect((screen.getByLabelText('Away team') as HTMLInputElement).value).toBe('Norths'),
  );
  unmount();
  renderScreen(<CreateDrawPage here={makePageContext()} />, '/club/sharks/admin/create-draw');
  expect((screen.getByLabelText('Game time') as HTMLInputElement).value).toBe('19:10');
  expect((screen.getByLabelText('Timezone') as HTMLSelectElement).value).toBe('Australia/Sydney');
});

test('a zone and a percentage outside the offered choices are shown and sent unchanged', async () => {
  const said = () =>
    ['Timezone', 'Prize percentage'].map(
      (label) => (screen.getByLabelText(label) as HTMLSelectElement).selectedOptions[0]?.text,
    );
  server.on('GET /api/clubs/1/draw-template', {
    body: {
      league: null,
      homeTeam: 'Sharks',
      awayTeam: 'Raiders',
      gameDate: '2099-12-04T19:10',
      timezone: 'Australia/Canberra',
      ticketPrice: '8.00',
      prizePercentage: 33,
      passStripeFees: false,
      roundUpPrize: false,
      contactName: 'Kim',
      contactPhone: '0400',
    },
  });
  const { unmount } = renderScreen(
    <CreateDrawPage here={makePageContext()} />,
    '/club/sharks/admin/create-draw',
  );
  await pressButton('Duplicate last draw');
  await waitFor(() => expect(said()).toEqual(['Australia/Canberra', '33%']));
  unmount();
  server
    .on('GET /api/draws/1042', {
      body: { ...FUTURE_DRAW, timezone: 'Australia/Canberra', prizePercentage: 33 },
    })
    .on('PATCH /api/draws/1042', { body: FUTURE_DRAW });
  renderScreen(<EditDrawPage here={makePageContext()} number={1042} />, '/admin/edit-draw/1042');
  await screen.findByRole('button', { name: 'Save changes' });
  expect(said()).toEqual(['Australia/Canberra', '33%']);
  await pressButton('Save changes');
  await waitFor(() =>
    expect(server.requests.find(({ method }) => method === 'PATCH')?.body).toMatchObject({
      timezone: 'Australia/Canberra',
      prizePercentage: 33,
    }),
  );
});

test('an edit sends price and prize while no ticket is sold', async () => {
  server
    .on('GET /api/draws/1042', { body: FUTURE_DRAW })
    .on('PATCH /api/draws/1042', { status: 500 }, { body: FUTURE_DRAW });
  renderScreen(<EditDrawPage here={makePageContext()} number={1042} />, '/admin/edit-draw/1042');
  expect(await screen.findByText('0 tickets sold')).toBeTruthy();
  fireEvent.change(screen.getByLabelText('Ticket price ($)'), { target: { value: '' } });
  fireEvent.change(screen.getByLabelText('Game time'), { target: { value: '' } });
  await pressButton('Save changes');
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Game time is required',
    'Ticket price is required',
  ]);
  fireEvent.change(screen.getByLabelText('Ticket price ($)'), { target: { value: '6' } });
  fireEvent.change(screen.getByLabelText('Game time'), { target: { value: '20:00' } });
  await pressButton('Save changes');
  expect(
    (await screen.findAllByText('There was an error updating your draw. Please try again.')).length,
  ).toBeGreaterThan(0);
  expect(screen.getAllByText('Failed to update draw').length).toBe(2);
  await pressButton('Save changes');
  await waitFor(() => expect(window.location.pathname).toBe('/admin'));
  expect(server.requests.find(({ method }) => method === 'PATCH')?.body).toMatchObject({
    gameDate: '2099-11-20T20:00',
    ticketPrice: '6.00',
    prizePercentage: 50,
    roundUpPrize: true,
  });
});

test('the price fields lock after the first sale, also during an edit, and show the count', async () => {
  const text =
    'Cannot change price/prize percentage/prize rounding after tickets are sold (1 tickets sold)';
  const paying =
    'A buyer is paying for tickets at this price right now. Please try again in a few minutes.';
  server
    .on(
      'GET /api/draws/1042',
      { body: FUTURE_DRAW },
      { body: FUTURE_DRAW },
      { body: { ...FUTURE_DRAW, ticketsSold: 1, locked: true, revision: 9 } },
    )
    .on(
      'PATCH /api/draws/1042',
      { status: 409, body: { code: 'terms-locked', message: paying } },
      { status: 409, body: { code: 'terms-locked', message: text } },
    );
  renderScreen(<EditDrawPage here={makePageContext()} number={1042} />, '/admin/edit-draw/1042');
  await screen.findByText('0 tickets sold');
  await pressButton('Save changes');
  expect((await screen.findAllByText(paying)).length).toBeGreaterThan(0);
  expect((screen.getByLabelText('Ticket price ($)') as HTMLInputElement).value).toBe('5.00');
  await pressButton('Save changes');
  await waitFor(() => expect(screen.getAllByText(text).length).toBeGreaterThan(1));
  await waitFor(() => expect(screen.queryByLabelText('Ticket price ($)')).toBeNull());
});

test('a missing, foreign, finished or started draw cannot be edited and says why', async () => {
  const cases: [object, string][] = [
    [{ status: 404 }, "Draw not found or you don't have permission to edit it."],
    [
      { body: { ...FUTURE_DRAW, clubId: 2 } },
      "Draw not found or you don't have permission to edit it.",
    ],
    [
      { body: { ...FUTURE_DRAW, ownedByCaller: false } },
      "Draw not found or you don't have permission to edit it.",
    ],
    [
      { body: { ...FUTURE_DRAW, status: 'completed' } },
      'This draw cannot be edited because it is not active.',
    ],
    [
      { body: { ...FUTURE_DRAW, gameDate: '2020-01-01T00:00:00Z' } },
      'This draw cannot be edited because the game has already started.',
    ],
  ];
  for (const [answer, text] of cases) {
    server.on('GET /api/draws/1042', answer);
    const { unmount } = renderScreen(
      <EditDrawPage here={makePageContext()} number={1042} />,
      '/admin/edit-draw/1042',
    );
    expect((await screen.findByRole('alert')).textContent).toBe(text);
    unmount();
  }
});

test('a game postponed after its kick-off links to the operator', async () => {
  server.on('GET /api/draws/1042', { body: makeOwnDraw({ gameDate: '2020-01-01T00:00:00Z' }) });
  const { store } = renderScreen(
    <EditDrawPage here={makePageContext()} number={1042} />,
    '/admin/edit-draw/1042',
  );
  act(() => store.set(configAtom, makeConfig()));
  expect(
    (await screen.findByRole('link', { name: 'Ask the operator' })).getAttribute('href'),
  ).toMatch(/^mailto:support@demo.test\?subject=FD-1042%20/);
});

test('a draw whose buyers pay the card fee learns at its next edit that this is no longer allowed', async () => {
  server.on('GET /api/draws/1042', { body: { ...FUTURE_DRAW, passStripeFees: true } });
  const { store } = renderScreen(
    <EditDrawPage here={makePageContext()} number={1042} />,
    '/admin/edit-draw/1042',
  );
  await screen.findByText('0 tickets sold');
  expect(screen.queryByText(/^Passing the card fee on/)).toBeNull();
  act(() => store.set(configAtom, makeConfig({ feePassthroughAllowed: false })));
  expect(
    await screen.findByText(
      'Passing the card fee on to buyers is not allowed at the moment, so the club pays it.',
    ),
  ).toBeTruthy();
});

test('terms that did not load cannot be agreed to, and the agreement names the version that was read', async () => {
  server
    .on(
      'GET /api/terms/service',
      { status: 500 },
      { body: { kind: 'service', version: '2.0', title: 'Terms of Service', text: 'First.' } },
    )
    .on('POST /api/draws', { body: FUTURE_DRAW });
  renderScreen(<CreateDrawPage here={makePageContext()} />, '/club/sharks/admin/create-draw');
  fillDrawForm();
  const dialog = await submitNewDraw();
  expect(await dialog.findByText('The terms did not load.')).toBeTruthy();
  await userEvent.click(dialog.getByLabelText('I have read and agree to the Terms of Service'));
  const button = dialog.getByRole('button', { name: 'Create Draw' });
  expect(button.getAttribute('aria-disabled')).toBe('true');
  await userEvent.click(button);
  expect(server.paths()).not.toContain('POST /api/terms/accept');
  await userEvent.click(dialog.getByRole('button', { name: 'Retry' }));
  await dialog.findByText('First.');
  await userEvent.click(button);
  await waitFor(() => expect(window.location.pathname).toBe('/admin'));
  expect(server.requests.find(({ path }) => path === '/api/terms/accept')?.body).toMatchObject({
    termsVersion: '2.0',
  });
});

test('a session that ends while a draw is created asks for the login and keeps the input', async () => {
  server.on('POST /api/draws', { status: 401, body: { message: 'Please log in.' } });
  const { store } = renderScreen(
    <CreateDrawPage here={makePageContext()} />,
    '/club/sharks/admin/create-draw',
  );
  fillDrawForm();
  const dialog = await submitNewDraw();
  await dialog.findByText('First.');
  await userEvent.click(dialog.getByLabelText('I have read and agree to the Terms of Service'));
  await userEvent.click(dialog.getByRole('button', { name: 'Create Draw' }));
  await waitFor(() => expect(store.get(sessionExpiredAtom)).toBe(true));
  expect(screen.queryByText('Failed to create draw')).toBeNull();
  expect((screen.getByLabelText('Home team') as HTMLInputElement).value).toBe('Sharks');
});

test('an archived club can neither create nor edit a draw and reads why', async () => {
  const text =
    'This club is archived. Its running draws finish and pay; nothing new can be started.';
  server.on('GET /api/draws/1042', { body: FUTURE_DRAW });
  const { unmount } = renderScreen(
    <CreateDrawPage here={makePageContext({ archived: true })} />,
    '/club/sharks/admin/create-draw',
  );
  expect(screen.getByText(text)).toBeTruthy();
  expect(screen.queryByLabelText('Home team')).toBeNull();
  unmount();
  renderScreen(
    <EditDrawPage here={makePageContext({ archived: true })} number={1042} />,
    '/admin/edit-draw/1042',
  );
  expect((await screen.findByRole('alert')).textContent).toBe(text);
});
