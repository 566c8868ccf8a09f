import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Offer } from '@/api/wire-offer';
import { makeDraw } from '@/testing/draw-data';
import { makeOffer as offer, makePageContext } from '@/testing/club-data';
import { FakeServer } from '@/testing/fake-server';
import { renderScreen } from '@/testing/render-screen';
import { OfferPage } from './offer-editor';
import { OfferList } from './offer-list';

const makeGame = (id: number, awayTeam: string) =>
  makeDraw({ id, drawNumber: id, awayTeam, gameDate: '2099-01-01T00:00:00Z' });
const makeOfferWithTwoGames = (more: Partial<Offer> = {}): Offer =>
  offer({
    id: 5,
    name: 'Derby Double',
    slug: 'derby-double',
    status: 'active',
    gameIds: [1, 2],
    games: [makeGame(1, 'Norths'), makeGame(2, 'Souths')],
    ...more,
  });
const OFFERS_PATH = '/api/admin/clubs/sharks/bundles';
let server: FakeServer;

beforeEach(() => {
  server = new FakeServer().on('GET /api/clubs/1/draws', {
    body: [makeGame(1, 'Norths'), makeGame(2, 'Souths'), makeGame(3, 'Wests')],
  });
});
afterEach(() => vi.unstubAllGlobals());

const changeField = (label: string, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
const pressButton = (name: string) => userEvent.click(screen.getByRole('button', { name }));
const alertTexts = () => screen.getAllByRole('alert').map((shown) => shown.textContent);

test('offers are listed by status, and archiving one asks for confirmation', async () => {
  server
    .on(
      `GET ${OFFERS_PATH}`,
      { status: 500 },
      {
        body: [
          makeOfferWithTwoGames({ ticketsSold: 1 }),
          makeOfferWithTwoGames({ id: 6, name: 'Locked one', status: 'locked', ticketsSold: 14 }),
          makeOfferWithTwoGames({ id: 7, name: 'Gone', status: 'archived' }),
          makeOfferWithTwoGames({ id: 8, name: 'New one' }),
        ],
      },
    )
    .on(
      `POST ${OFFERS_PATH}/5/archive`,
      { status: 500 },
      { body: makeOfferWithTwoGames({ status: 'archived' }) },
    );
  renderScreen(<OfferList here={makePageContext()} />, '/club/sharks/admin/bundles');
  expect(await screen.findByText('Failed to load bundles')).toBeTruthy();
  await pressButton('Retry');
  expect(await screen.findByText('Sold 14 times')).toBeTruthy();
  expect(screen.getByText('Sold once')).toBeTruthy();
  expect(screen.getByText('Not sold yet')).toBeTruthy();
  expect(screen.queryByText('Gone')).toBeNull();
  await pressButton('Actions for Locked one');
  expect(screen.queryByRole('menuitem', { name: 'Archive' })).toBeNull();
  const archive = async () => {
    await pressButton('Actions for Derby Double');
    await userEvent.click(screen.getByRole('menuitem', { name: 'Archive' }));
    await userEvent.click(
      within(screen.getByRole('alertdialog')).getByRole('button', { name: 'Archive' }),
    );
  };
  await archive();
  expect(await screen.findByText('Failed to archive bundle')).toBeTruthy();
  await archive();
  expect(await screen.findByText('Derby Double is archived')).toBeTruthy();
  fireEvent.change(screen.getByLabelText('Show'), { target: { value: 'archived' } });
  expect(screen.getByText('Gone')).toBeTruthy();
});

test('an open offer with a cancelled game says that it cannot be bought, as long as it can be edited', async () => {
  const games = [makeGame(1, 'Norths'), { ...makeGame(2, 'Souths'), status: 'cancelled' as const }];
  server.on(`GET ${OFFERS_PATH}`, {
    body: [
      makeOfferWithTwoGames({ games }),
      makeOfferWithTwoGames({
        id: 6,
        name: 'Bought one',
        status: 'closed',
        games,
        ticketsSold: 14,
      }),
    ],
  });
  renderScreen(<OfferList here={makePageContext()} />, '/club/sharks/admin/bundles');
  expect(
    (await screen.findAllByText(/^Bundle closed/)).map(({ textContent }) => textContent),
  ).toEqual([
    'Bundle closed: Redcliffe Sharks v Souths is not on sale any more. Choose its games anew.',
  ]);
  await pressButton('Actions for Bought one');
  expect(screen.getByRole('menuitem', { name: 'Archive' })).toBeTruthy();
});

test('a new offer gets a name, a slug and games, and each missing part is reported', async () => {
  server.on(`POST ${OFFERS_PATH}`, { body: makeOfferWithTwoGames() });
  renderScreen(<OfferPage here={makePageContext()} id={null} />, '/club/sharks/admin/bundles/new');
  await screen.findByLabelText(/v Norths/);
  await pressButton('Activate');
  expect(alertTexts()).toContain('Please provide name, slug, and select at least one game');
  changeField('Name', 'Derby Double!');
  expect((screen.getByLabelText('Slug') as HTMLInputElement).value).toBe('derby-double');
  await userEvent.click(screen.getByLabelText(/v Norths/));
  await pressButton('Activate');
  expect(alertTexts()).toContain('Select at least 2 games to activate this bundle');
  await pressButton('Save as draft');
  expect(alertTexts()).toContain('A Bundle must include at least two games');
  await userEvent.click(screen.getByLabelText(/v Souths/));
  await userEvent.click(screen.getByLabelText(/^Special/));
  expect((screen.getByLabelText(/v Norths/) as HTMLInputElement).checked).toBe(true);
  expect((screen.getByLabelText(/v Souths/) as HTMLInputElement).checked).toBe(false);
  await userEvent.click(screen.getByLabelText(/^Bundle/));
  await userEvent.click(screen.getByLabelText(/v Wests/));
  changeField('Tag', 'Two games');
  expect(screen.getByText('9/90 shown')).toBeTruthy();
  await pressButton('Activate');
  await waitFor(() => expect(window.location.pathname).toBe('/club/sharks/admin/bundles'));
  expect(server.requests.find(({ method }) => method === 'POST')?.body).toEqual({
    name: 'Derby Double!',
    slug: 'derby-double',
    status: 'active',
    type: 'BUNDLE',
    displayTag: 'Two games',
    primaryCopy: '',
    shareImageUrl: '',
    gameIds: [1, 3],
  });
});

test('an offer bought meanwhile becomes read-only, and other refusals keep the form', async () => {
  server.on(`GET ${OFFERS_PATH}/5`, { body: makeOfferWithTwoGames() }).on(
    `PUT ${OFFERS_PATH}/5`,
    {
      status: 409,
      body: { code: 'slug-taken', message: 'This slug is already used by another offer.' },
    },
    { status: 500 },
    {
      status: 409,
      body: {
        code: 'locked',
        message: 'This bundle is locked (has sales) and cannot be edited.',
      },
    },
  );
  renderScreen(<OfferPage here={makePageContext()} id={5} />, '/club/sharks/admin/bundles/5');
  await screen.findByRole('heading', { name: 'Derby Double' });
  await pressButton('Save');
  expect((await screen.findAllByText('This slug is already used by another offer.')).length).toBe(
    2,
  );
  expect(screen.getByText('Error')).toBeTruthy();
  await pressButton('Save');
  expect((await screen.findAllByText('Failed to create/update bundle')).length).toBe(2);
  await pressButton('Save');
  expect(await screen.findByText('Bundle is locked')).toBeTruthy();
  expect(
    screen.getByText('Bundle is locked: This bundle is locked (has sales) and cannot be edited.'),
  ).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
  expect((screen.getByLabelText('Name').closest('fieldset') as HTMLFieldSetElement).disabled).toBe(
    true,
  );
});

test('a locked, a closed and an archived offer are read-only', async () => {
  for (const [status, text] of [
    ['locked', 'Bundle is locked'],
    ['closed', 'Bundle closed'],
    ['archived', 'This offer is archived'],
  ] as const) {
    server.on(`GET ${OFFERS_PATH}/5`, { body: makeOfferWithTwoGames({ status }) });
    const { unmount } = renderScreen(
      <OfferPage here={makePageContext()} id={5} />,
      '/club/sharks/admin/bundles/5',
    );
    expect(await screen.findByText(new RegExp(`^${text}`))).toBeTruthy();
    expect(screen.queryByRole('button', { name: /Save|Activate/ })).toBeNull();
    unmount();
  }
});

test('a share image is checked, uploaded, shown and deleted once the offer is saved without it', async () => {
  server
    .on(`GET ${OFFERS_PATH}/5`, { body: makeOfferWithTwoGames() })
    .on('POST /api/uploads/bundle-image', { status: 500 }, { body: { url: '/uploads/1.png' } })
    .on('DELETE /api/uploads/bundle-image', { status: 204 })
    .on(`PUT ${OFFERS_PATH}/5`, { body: makeOfferWithTwoGames() });
  renderScreen(<OfferPage here={makePageContext()} id={5} />, '/club/sharks/admin/bundles/5');
  const file = await screen.findByLabelText(/^Share image \(JPG/);
  const user = userEvent.setup({ applyAccept: false });
  await user.upload(file, new File(['x'], 'a.gif', { type: 'image/gif' }));
  expect(screen.getByText('Invalid file')).toBeTruthy();
  expect(screen.getByText('Please upload a JPG or PNG image')).toBeTruthy();
  await user.upload(file, new File([new Uint8Array(3_000_001)], 'a.png', { type: 'image/png' }));
  expect(screen.getByText('Max size is 3MB')).toBeTruthy();
  await user.upload(file, new File(['x'], 'a.png', { type: 'image/png' }));
  expect(await screen.findByText('Upload error')).toBeTruthy();
  await user.upload(file, new File(['x'], 'b.png', { type: 'image/png' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Delete image' }));
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Delete image' })).toBeNull());
  // The saved offer still uses the picture, so leaving now must not delete it.
  expect(server.paths()).not.toContain('DELETE /api/uploads/bundle-image');
  await pressButton('Save');
  await waitFor(() =>
    expect(server.requests.find(({ method }) => method === 'DELETE')?.body).toEqual({
      url: '/uploads/1.png',
      clubSlug: 'sharks',
      bundleSlug: 'derby-double',
    }),
  );
  expect(
    server.requests.find(
      ({ path, method }) => path === '/api/uploads/bundle-image' && method === 'POST',
    )?.body,
  ).toMatchObject({
    filename: 'a.png',
    contentType: 'image/png',
    data: btoa('x'),
    clubSlug: 'sharks',
    bundleSlug: 'derby-double',
  });
});

test('a share image of an unconfirmed club is refused with the server’s text', async () => {
  const text = "Please confirm your club's email address first. Then you can upload pictures.";
  server
    .on(`GET ${OFFERS_PATH}/5`, { body: makeOfferWithTwoGames() })
    .on('POST /api/uploads/bundle-image', {
      status: 403,
      body: { code: 'email-not-confirmed', message: text },
    });
  renderScreen(<OfferPage here={makePageContext()} id={5} />, '/club/sharks/admin/bundles/5');
  await userEvent.upload(
    await screen.findByLabelText(/^Share image \(JPG/),
    new File(['x'], 'a.png', { type: 'image/png' }),
  );
  expect(await screen.findByText(`Upload error. ${text}`)).toBeTruthy();
});

test('the preview shows the saved share image, and before one exists the name on the club’s colours', async () => {
  server
    .on('GET /api/clubs/sharks', { body: { primaryColor: '#ffc72c' } })
    .on(`GET ${OFFERS_PATH}/5`, { body: makeOfferWithTwoGames() });
  const card = () => screen.getByRole('img', { name: 'How the offer looks when it is shared' });
  const { unmount } = renderScreen(
    <OfferPage here={makePageContext()} id={5} />,
    '/club/sharks/admin/bundles/5',
  );
  await screen.findByLabelText('Name');
  expect(card().querySelector('img')?.getAttribute('src')).toBe('/og/offer/sharks/derby-double');
  changeField('Name', 'Derby Treble');
  await waitFor(() => expect(card().style.background).toBe('#ffc72c'));
  expect([card().querySelector('img'), card().textContent, card().style.color]).toEqual([
    null,
    'Derby Treble',
    '#000000',
  ]);
  unmount();
  renderScreen(<OfferPage here={makePageContext()} id={null} />, '/club/sharks/admin/bundles/new');
  expect(await screen.findByText('Your offer')).toBeTruthy();
  await waitFor(() => expect(card().style.background).toBe('#ffc72c'));
});

test('loading offers have their space reserved', async () => {
  server.on(`GET ${OFFERS_PATH}`, { body: [makeOfferWithTwoGames()] });
  renderScreen(<OfferList here={makePageContext()} />, '/club/sharks/admin/bundles');
  expect(document.querySelectorAll('.skeleton').length).toBeGreaterThan(0);
  expect(await screen.findByText('Derby Double')).toBeTruthy();
  expect(document.querySelectorAll('.skeleton').length).toBe(0);
});

test('an archived club cannot create offers and reads why', async () => {
  server
    .on(`GET ${OFFERS_PATH}`, { body: [makeOfferWithTwoGames()] })
    .on(`GET ${OFFERS_PATH}/5`, { body: makeOfferWithTwoGames() });
  const { unmount } = renderScreen(
    <OfferList here={makePageContext({ archived: true })} />,
    '/club/sharks/admin/bundles',
  );
  expect(await screen.findByText('Derby Double')).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'New offer' })).toBeNull();
  unmount();
  renderScreen(
    <OfferPage here={makePageContext({ archived: true })} id={5} />,
    '/club/sharks/admin/bundles/5',
  );
  expect(await screen.findByText(/^This club is archived/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Save' })).toBeNull();
});
